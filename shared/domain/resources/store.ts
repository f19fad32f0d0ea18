import { type Author, commit } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { ApiError, notFound } from '../../core/errors.ts'
import { listRows } from '../../table/list.ts'
import { getRow } from '../../table/read.ts'
import type { Draft } from '../../values/draft.ts'
import type { Page } from '../../values/page.ts'
import { sites } from '../sites/site.ts'
import { deleteResource } from './delete-resource.ts'
import { type ResourceInput, type ResourceRow, resources } from './resource.ts'
import { checkTypeAndSite, normalised, resultingStack } from './resource-rules.ts'

type Change = Draft<Partial<ResourceInput>>

export async function list(account: string, page: Page) {
  const { rows, metadata } = await listRows(resources, account, page, { edges: page.filters })
  return { data: rows, metadata }
}

export async function get(account: string, id: string) {
  const resource = await getRow(resources, account, id)
  if (!resource) throw notFound()
  return { data: resource }
}

/** The site, with the message for one that is unknown. */
async function siteOf(transaction: Transaction, draft: Change, id: string | undefined) {
  const site = id === undefined ? null : await transaction.get(sites, id)
  if (id !== undefined && !site) draft.reject('site_id', 'does not exist')
  return site
}

export const create = (author: Author, draft: () => Draft<ResourceInput>) =>
  commit(author, async (transaction) => {
    const checked = draft()
    const { type, site_id, address } = checked.fields
    checkTypeAndSite(checked, await siteOf(transaction, checked, site_id), type)
    // An empty object names name, type and site_id only; the address is tested once the type is known (A18.2).
    const normal = type === undefined ? null : normalised(checked, type, address)
    const ip_stack = resultingStack(checked, type, null)
    const input = checked.done()
    const row = transaction.insert(resources, {
      name: input.name,
      type: input.type,
      address: normal,
      address_description: input.address_description ?? null,
      filters: input.filters ?? [],
      ip_stack,
      site_id: input.site_id,
    })
    return { data: row }
  })

export const update = (author: Author, id: string, sent: object, draft: () => Change) =>
  commit(author, async (transaction) => {
    const resource = await editable(transaction, id)
    const checked = draft()
    const data =
      resource.type === 'static_device_pool'
        ? updatePool(transaction, resource, checked)
        : await updateOwn(transaction, resource, sent, checked)
    const moved = (['site_id', 'ip_stack', 'type', 'address'] as const).some((name) => data[name] !== resource[name])
    if (moved) transaction.revoke({ by: 'resource', id })
    return { data }
  })

/** Only the name, description and filters of a pool can change (A18.3). */
function updatePool(transaction: Transaction, resource: ResourceRow, draft: Change): ResourceRow {
  for (const ignored of ['address', 'site_id']) delete draft.errors[ignored]
  if (draft.fields.type !== undefined && draft.fields.type !== 'static_device_pool')
    draft.reject('type', 'cannot be changed')
  if (draft.fields.ip_stack) draft.reject('ip_stack', 'is supported only for DNS resources')
  const { name, address_description, filters } = draft.done()
  return transaction.update(resources, resource, { name, address_description, filters })
}

async function updateOwn(
  transaction: Transaction,
  resource: ResourceRow,
  sent: object,
  draft: Change,
): Promise<ResourceRow> {
  const { fields } = draft
  const type = draft.has('type') ? undefined : (fields.type ?? resource.type)
  const siteId = draft.has('site_id') ? undefined : (fields.site_id ?? resource.site_id ?? undefined)
  const changes = type !== resource.type || fields.site_id !== undefined
  const site = changes ? await siteOf(transaction, draft, siteId) : null
  if (changes) checkTypeAndSite(draft, site, type)
  const sentAddress = Object.hasOwn(sent, 'address')
  const address =
    type !== undefined && (sentAddress || type !== resource.type)
      ? normalised(draft, type, sentAddress ? fields.address : resource.address)
      : resource.address
  const ip_stack = resultingStack(draft, type, resource.type === 'dns' ? resource.ip_stack : null)
  const input = draft.done()
  return transaction.update(resources, resource, { ...input, address, ip_stack })
}

/** Deletes a resource with its policies; what they granted ends (A29). */
export const remove = (author: Author, id: string) =>
  commit(author, async (transaction) => {
    const resource = await editable(transaction, id)
    await deleteResource(transaction, resource)
    return { data: resource }
  })

async function editable(transaction: Transaction, id: string): Promise<ResourceRow> {
  const resource = await transaction.get(resources, id)
  if (!resource) throw notFound()
  if (resource.type === 'internet')
    throw new ApiError('internet_resource', 'The Internet Resource is managed by the system.')
  return resource
}
