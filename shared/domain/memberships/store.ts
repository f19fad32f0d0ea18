import type { Author } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { ApiError, notFound } from '../../core/errors.ts'
import { sideBySide } from '../../core/work/side-by-side.ts'
import { listIds, listRows } from '../../table/list.ts'
import { getRow, getRows } from '../../table/read.ts'
import type { Page } from '../../values/page.ts'
import { type ActorRow, actors } from '../actors/actor.ts'
import { type GroupRow, groups } from '../groups/group.ts'
import { changeMembers, edited, type Wanted, wholeSet } from '../member-sets/change-members.ts'
import { progress } from '../member-sets/progress.ts'
import { readEdit, readWholeSet } from '../member-sets/requested-members.ts'
import { groupMembers } from './group-members.ts'
import { memberships } from './membership.ts'

/** A member as lists show it, with its id also under the name that a replacement takes (A15.1). */
const shown = ({ id, name, type }: ActorRow) => ({ id, actor_id: id, name, type })

/** The members of a group; those of the managed one are all people of the account (A15.2). */
export async function list(account: string, groupId: string, page: Page) {
  const [group, listed] = await sideBySide(existing(account, groupId), listIds(memberships, account, page, groupId))
  if (group.is_managed) {
    const { rows, metadata } = await listRows(actors, account, page, { edges: { person: 'true' } })
    return { data: rows.map(shown), metadata }
  }
  const members = await getRows(actors, account, listed.rows)
  const found = members.filter((actor): actor is ActorRow => actor !== null)
  return { data: found.map(shown), metadata: listed.metadata }
}

async function existing(account: string, groupId: string): Promise<GroupRow> {
  const group = await getRow(groups, account, groupId)
  if (!group) throw notFound()
  return group
}

/** The whole set as it is (A15.3). */
export const replace = (author: Author, groupId: string, entries: unknown[]) =>
  change(author, groupId, () =>
    wholeSet(readWholeSet(groupMembers, entries, (id) => id !== undefined && id !== null && id !== '')),
  )

export const edit = (author: Author, groupId: string, sent: Record<string, unknown>) =>
  change(author, groupId, () =>
    edited(readEdit(groupMembers, sent, (list) => (Array.isArray(list) ? null : 'must be a list of actor ids'))),
  )

async function change(author: Author, groupId: string, read: () => Wanted) {
  const check = (transaction: Transaction) => editable(transaction, groupId)
  const { ids, pending } = await changeMembers(author, groupMembers, groupId, check, read)
  return { data: { actor_ids: ids }, ...progress(pending) }
}

async function editable(transaction: Transaction, id: string): Promise<GroupRow> {
  const group = await transaction.get(groups, id)
  if (!group) throw notFound()
  if (group.is_managed)
    throw new ApiError('managed_group', 'The members of the group Everyone are managed by the system.')
  if (group.idp_id !== null) throw new ApiError('synced_group', 'This group is synced from a directory.')
  return group
}
