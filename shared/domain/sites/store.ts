import type * as v from 'valibot'
import { type Author, commit } from '../../commit/commit.ts'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { ApiError, invalid, notFound } from '../../core/errors.ts'
import { checkLimit } from '../accounts/check-limit.ts'
import { stageSiteDeletion } from './delete-site.ts'
import { type SiteFields, type SiteRow, sites } from './site.ts'

type Input = v.InferOutput<typeof SiteFields>

/** @throws ApiError `limit_reached`, then `validation_failed` (A20.2) */
export const create = (author: Author, input: () => Input) =>
  commit(author, async (transaction) => {
    await checkLimit(transaction, 'sites')
    const { name } = input()
    await checkName(transaction, name)
    return { data: transaction.insert(sites, { name, managed_by: 'account' }) }
  })

export const update = (author: Author, id: string, input: () => Partial<Input>) =>
  commit(author, async (transaction) => {
    const site = await editable(transaction, id)
    const { name } = input()
    if (name !== undefined) await checkName(transaction, name, site)
    return { data: transaction.update(sites, site, { name }) }
  })

/** Deletes a site with its gateways, gateway tokens and resources, and what hangs on them (A29). */
export const remove = (author: Author, id: string) =>
  commitInParts(author, async (transaction) => {
    const site = await editable(transaction, id)
    return (await stageSiteDeletion(transaction, site)) === 'more' ? 'more' : { done: { data: site } }
  })

async function editable(transaction: Transaction, id: string): Promise<SiteRow> {
  const site = await transaction.get(sites, id)
  if (!site) throw notFound()
  if (site.managed_by === 'system') throw new ApiError('system_site', 'The Internet Site is managed by the system.')
  return site
}

async function checkName(transaction: Transaction, name: string, except?: SiteRow): Promise<void> {
  if (await transaction.isTaken('sites.name', name, except)) throw invalid({ name: ['has already been taken'] })
}
