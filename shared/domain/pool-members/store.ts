import type { Author } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { workTime } from '../../commit/work-time.ts'
import { changeMembers, edited, finishSet, type Wanted, wholeSet } from '../member-sets/change-members.ts'
import { stagePending } from '../member-sets/pending-change.ts'
import { progress } from '../member-sets/progress.ts'
import { readEdit, readWholeSet } from '../member-sets/requested-members.ts'
import { resources } from '../resources/resource.ts'
import { pool } from './pool.ts'
import { poolMembers } from './pool-member.ts'
import { refuseOthers } from './read-members.ts'

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''

/** The whole set as it is (A19.2). */
export const replace = (author: Author, resourceId: string, entries: unknown[]) =>
  change(author, resourceId, () => wholeSet(readWholeSet(pool, entries, isText)))

export const edit = (author: Author, resourceId: string, sent: Record<string, unknown>) =>
  change(author, resourceId, () =>
    edited(
      readEdit(pool, sent, (ids) =>
        Array.isArray(ids) && ids.every((id) => typeof id === 'string') ? null : 'must be a list of client ids',
      ),
    ),
  )

/** Stages the members of a pool that the same commit makes, as many as have room; the others are pending then (A32). */
export function stageMembers(transaction: Transaction, resourceId: string, ids: string[]): 'done' | 'more' {
  for (const [i, id] of ids.entries()) {
    if (!transaction.hasRoom()) {
      stagePending(transaction, null, poolMembers.name, resourceId, { leaving: [], joining: ids.slice(i) })
      return 'more'
    }
    transaction.insert(poolMembers, pool.row(resourceId, id))
  }
  return 'done'
}

/** Adds the others, in as many commits as it takes (A32). */
export const addPending = (author: Author, resourceId: string): Promise<void> =>
  finishSet(author, pool, resourceId, workTime.provisioning())

async function change(author: Author, resourceId: string, read: () => Wanted) {
  const check = async (transaction: Transaction) => refuseOthers(await transaction.get(resources, resourceId))
  const { ids, pending } = await changeMembers(author, pool, resourceId, check, read)
  return { data: { device_ids: ids }, ...progress(pending) }
}
