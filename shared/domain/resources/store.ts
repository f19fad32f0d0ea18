import { type Author, commit } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { ApiError } from '../../core/errors.ts'
import type { Draft } from '../../values/draft.ts'
import type { Page } from '../../values/page.ts'
import { getRendered, listRendered } from '../reads.ts'
import { type SiteRow, sites } from '../sites/site.ts'
import { checkAddress } from './address.ts'
import { type ResourceInput, type ResourceRow, type ResourceType, resources } from './resource.ts'

type Change = Draft<Partial<ResourceInput>>

export const list = (account: string, page: Page) => listRendered(resources, account, page)

export const get = (account: string, id: string) => getRendered(resources, account, id)

async function readSite(transaction: Transaction, draft: Change, id: string | undefined) {
  const site = id === undefined ? null : await transaction.get(sites, id)
  if (id !== undefined && !site) draft.reject('site_id', 'does not exist')
  return site
}

export const create = (author: Author, draft: () => Draft<ResourceInput>) =>
  commit(author, async (transaction) => {
    const checked = draft()
    const { type, site_id, address } = checked.fields
    checkTypeAndSite(checked, await readSite(transaction, checked, site_id), type)
    // Checks the address only if the type is valid, so an empty object causes no message about the address (A18.2).
    const normal = normaliseAddress(checked, type, address)
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
    const isMoved = (['site_id', 'ip_stack', 'type', 'address'] as const).some((name) => data[name] !== resource[name])
    if (isMoved) transaction.revoke({ by: 'resource', id })
    return { data }
  })

/** Updates a device pool. Only name, description and filters can change (A18.3). */
function updatePool(transaction: Transaction, resource: ResourceRow, draft: Change): ResourceRow {
  for (const fieldName of ['address', 'site_id']) draft.clear(fieldName)
  if (draft.fields.type !== undefined && draft.fields.type !== 'static_device_pool')
    draft.reject('type', 'cannot be changed')
  if (draft.fields.ip_stack) draft.reject('ip_stack', 'is supported only for DNS resources')
  const { name, address_description, filters } = draft.done()
  return transaction.update(resources, resource, { name, address_description, filters })
}

async function updateOwn(transaction: Transaction, resource: ResourceRow, sent: object, draft: Change) {
  const { fields } = draft
  const type = draft.has('type') ? undefined : (fields.type ?? resource.type)
  const siteId = draft.has('site_id') ? undefined : (fields.site_id ?? resource.site_id ?? undefined)
  const changes = type !== resource.type || fields.site_id !== undefined
  const site = changes ? await readSite(transaction, draft, siteId) : null
  if (changes) checkTypeAndSite(draft, site, type)
  const sentAddress = Object.hasOwn(sent, 'address')
  const address =
    type !== undefined && (sentAddress || type !== resource.type)
      ? normaliseAddress(draft, type, sentAddress ? fields.address : resource.address)
      : resource.address
  const ip_stack = resultingStack(draft, type, resource.type === 'dns' ? resource.ip_stack : null)
  const input = draft.done()
  return transaction.update(resources, resource, { ...input, address, ip_stack })
}

export async function editable(transaction: Transaction, id: string): Promise<ResourceRow> {
  const resource = await transaction.existing(resources, id)
  if (resource.type === 'internet')
    throw new ApiError('internet_resource', 'The Internet Resource is managed by the system.')
  return resource
}

/** Checks that the type of a resource fits its site (A18.3). `site` is the site after the change. */
function checkTypeAndSite(draft: Change, site: SiteRow | null, type: ResourceType | undefined): void {
  const system = site?.managed_by === 'system'
  if (type === 'static_device_pool') draft.reject('type', 'device pools cannot be created through the API')
  else if (type === 'internet') {
    if (site && !system) draft.reject('site_id', 'must be the Internet Site')
    else if (site) draft.reject('type', 'an Internet Resource already exists')
  } else if (type !== undefined && system) draft.reject('site_id', 'cannot be the Internet Site')
}

/** Normalises the address for the type (A18.4). Returns null if the type has no address or the address is invalid. */
function normaliseAddress(
  draft: Change,
  type: ResourceType | undefined,
  address: string | null | undefined,
): string | null {
  if (type === undefined || draft.has('address')) return null
  if (address === null || address === undefined) {
    if (type !== 'internet' && type !== 'static_device_pool') draft.reject('address', "can't be blank")
    return null
  }
  if (type !== 'dns' && type !== 'cidr' && type !== 'ip') return null
  const checked = checkAddress(type, address)
  if ('address' in checked) return checked.address
  draft.reject('address', checked.message)
  return null
}

/** Determines the new value of `ip_stack`, which only DNS resources have (A18.2). `stored` is null unless the type was `dns`. */
function resultingStack(draft: Change, type: ResourceType | undefined, stored: ResourceRow['ip_stack']) {
  const { ip_stack: sent } = draft.fields
  if (type === 'dns') {
    if (sent === null && stored !== null) draft.reject('ip_stack', "can't be blank")
    return sent ?? stored ?? 'dual'
  }
  if (sent !== undefined && sent !== null && type !== undefined) {
    draft.reject('ip_stack', 'is supported only for DNS resources')
  }
  return null
}
