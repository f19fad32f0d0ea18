import { type ActorRow, actors } from '../actors/actor.ts'
import { ApiError, invalid, notFound } from '../errors.ts'
import { type GroupRow, groups } from '../groups/group.ts'
import type { Page } from '../operation.ts'
import type { Author } from '../table/commit.ts'
import { commitInParts } from '../table/commit-in-parts.ts'
import { partition } from '../table/keys.ts'
import { listRows } from '../table/list.ts'
import { getRow, getRows, queryItems } from '../table/read.ts'
import type { Transaction } from '../table/transaction.ts'
import { isDone, membersPerCommit, type SetChange, stageNextPart, stageSetChange } from './change-set.ts'
import { memberships } from './membership.ts'
import { readEdit, readWholeSet } from './requested-members.ts'

/** The members of a group; those of the managed one are all people of the account (A15.2). */
export async function list(account: string, groupId: string, page: Page) {
  const group = await getRow(groups, account, groupId)
  if (!group) throw notFound()
  if (group.is_managed) {
    const { rows, metadata } = await listRows(actors, account, page, { edges: { person: 'true' } })
    return { data: rows, metadata }
  }
  const { rows, metadata } = await listRows(memberships, account, page, { within: groupId })
  const members = await getRows(
    actors,
    account,
    rows.map((row) => row.actor_id),
  )
  return { data: members.filter((actor): actor is ActorRow => actor !== null), metadata }
}

/** The whole set as it is (A15.3). */
export const replace = (author: Author, groupId: string, raw: unknown) =>
  change(author, groupId, () => {
    const wanted = new Set(readWholeSet(raw))
    return { added: [...wanted], keeps: (id) => wanted.has(id) }
  })

/** Removal comes first, so an id in both stays a member (A15.4). */
export const edit = (author: Author, groupId: string, raw: unknown) =>
  change(author, groupId, () => {
    const { add, remove } = readEdit(raw)
    const kept = new Set(add)
    const gone = new Set(remove)
    return { added: add, keeps: (id) => kept.has(id) || !gone.has(id) }
  })

type Wanted = { added: string[]; keeps: (actorId: string) => boolean }

/** Brings the members to what is wanted, removals first (A15.6). Unchanged members keep their membership (A15.5). */
async function change(author: Author, groupId: string, read: () => Wanted) {
  const { accountId } = author
  let wanted: Wanted | undefined
  let backlog: SetChange | undefined
  let worked = false
  const ids = await commitInParts<string[]>(author, async (transaction) => {
    await editable(transaction, groupId)
    wanted ??= await checked(accountId, read())
    if (!backlog) {
      const members = await memberIds(accountId, groupId)
      if (worked) return { done: members }
      const present = new Set(members)
      const { added, keeps } = wanted
      const whole = {
        leaving: members.filter((id) => !keeps(id)),
        joining: added.filter((id) => !present.has(id)),
      }
      const fits = whole.leaving.length + whole.joining.length <= membersPerCommit
      if (fits) return { done: await stageSetChange(transaction, groupId, whole, members) }
      backlog = whole
    }
    await stageNextPart(transaction, groupId, backlog)
    // With nothing left to do the set is read once more, to answer with it.
    worked = isDone(backlog)
    if (worked) backlog = undefined
    return 'more'
  })
  return { data: { actor_ids: ids } }
}

async function memberIds(accountId: string, groupId: string): Promise<string[]> {
  const items = await queryItems(partition(accountId, memberships.name, groupId))
  return items.map(({ sk }) => sk as string)
}

async function editable(transaction: Transaction, id: string): Promise<GroupRow> {
  const group = await transaction.get(groups, id)
  if (!group) throw notFound()
  if (group.is_managed)
    throw new ApiError('managed_group', 'The members of the group Everyone are managed by the system.')
  if (group.idp_id !== null) throw new ApiError('synced_group', 'This group is synced from a directory.')
  return group
}

/** All checks precede the first write. @throws ApiError `validation_failed` for actors that do not exist */
async function checked(account: string, wanted: Wanted): Promise<Wanted> {
  const found = await getRows(actors, account, wanted.added)
  const unknown = wanted.added.filter((_, i) => found[i] === null)
  if (unknown.length > 0) throw invalid({ memberships: unknown.map((id) => `${id} does not exist`) })
  return wanted
}
