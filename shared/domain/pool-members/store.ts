import type { Author } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { workTime } from '../../core/work/work.ts'
import { type ChangedSet, editMembers, finishSet, replaceMembers } from '../member-sets/change-members.ts'
import { progress, stagePending } from '../member-sets/pending-change.ts'
import { pool, poolMembers } from './pool-member.ts'

const renderChange = ({ ids, pending }: ChangedSet) => ({ data: { device_ids: ids }, ...progress(pending) })

export const replace = async (author: Author, resourceId: string, entries: unknown[]) =>
  renderChange(await replaceMembers(author, pool, resourceId, entries))

export const edit = async (author: Author, resourceId: string, sent: Record<string, unknown>) =>
  renderChange(await editMembers(author, pool, resourceId, sent))

/** Stages the members of a pool in the commit that creates it. Members beyond the commit's capacity become pending (A32). */
export function stageMembers(transaction: Transaction, resourceId: string, ids: string[]): 'done' | 'more' {
  for (const [i, id] of ids.entries()) {
    if (!transaction.hasCapacity()) {
      stagePending(transaction, null, poolMembers.name, resourceId, { leaving: [], joining: ids.slice(i) })
      return 'more'
    }
    transaction.insert(poolMembers, { resource_id: resourceId, device_id: id })
  }
  return 'done'
}

/** Adds the pending members of a pool, in several commits if necessary (A32). */
export const addPending = (author: Author, resourceId: string): Promise<void> =>
  finishSet(author, pool, resourceId, workTime.provisioning())
