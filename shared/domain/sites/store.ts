import type * as v from 'valibot'
import { type Author, commit } from '../../commit/commit.ts'
import { rejectTaken } from '../../commit/reject-taken.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { ApiError } from '../../core/errors.ts'
import type { Draft } from '../../values/draft.ts'
import { checkLimit } from '../accounts/check-limit.ts'
import { type SiteFields, type SiteRow, sites } from './site.ts'

type Input = v.InferOutput<typeof SiteFields>

/** Creates a site (A20.2). @throws ApiError `limit_reached` or `validation_failed`, checked in this order */
export const create = (author: Author, draft: () => Draft<Input>) =>
  commit(author, async (transaction) => {
    await checkLimit(transaction, 'sites')
    const checked = draft()
    await rejectTaken(transaction, checked, sites)
    return { data: transaction.insert(sites, { ...checked.done(), managed_by: 'account' }) }
  })

export const update = (author: Author, id: string, draft: () => Draft<Partial<Input>>) =>
  commit(author, async (transaction) => {
    const site = await editable(transaction, id)
    const checked = draft()
    await rejectTaken(transaction, checked, sites, site)
    return { data: transaction.update(sites, site, { ...checked.done() }) }
  })

export async function editable(transaction: Transaction, id: string): Promise<SiteRow> {
  const site = await transaction.existing(sites, id)
  if (site.managed_by === 'system') throw new ApiError('system_site', 'The Internet Site is managed by the system.')
  return site
}
