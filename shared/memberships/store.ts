import { type ActorRow, actors } from '../actors/actor.ts'
import { ApiError, invalid, notFound } from '../errors.ts'
import { type GroupRow, groups } from '../groups/group.ts'
import type { Page } from '../operation.ts'
import type { Author } from '../table/commit.ts'
import { commitInParts, hasRoom } from '../table/commit-in-parts.ts'
import { partition } from '../table/keys.ts'
import { listRows } from '../table/list.ts'
import { getRow, getRows, queryItems } from '../table/read.ts'
import type { Transaction } from '../table/transaction.ts'
import { type MembershipRow, memberships } from './membership.ts'
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

/** Brings the members to what is wanted, removals first, in as many commits as it takes (A15.6). */
async function change(author: Author, groupId: string, read: () => Wanted) {
  const { accountId } = author
  let wanted: Wanted | undefined
  const ids = await commitInParts<string[]>(author, async (transaction) => {
    await editable(transaction, groupId)
    wanted ??= await checked(accountId, read())
    const { added, keeps } = wanted
    const members = (await queryItems(partition(accountId, memberships.name, groupId))) as unknown as MembershipRow[]
    const present = new Set(members.map(({ actor_id }) => actor_id))
    for (const member of members.filter(({ actor_id }) => !keeps(actor_id))) {
      if (!hasRoom(transaction)) return 'more'
      transaction.delete(memberships, rowOf(member))
      transaction.revoke({ by: 'membership', id: `${groupId}#${member.actor_id}` })
      present.delete(member.actor_id)
    }
    const missing = added.filter((id) => !present.has(id))
    const joining = missing.slice(0, 35)
    // An actor can be deleted while a large set is written: it is left out, as its memberships would be.
    const alive = await getRows(actors, accountId, joining)
    for (const actor of alive) {
      if (!actor) continue
      if (!hasRoom(transaction)) return 'more'
      transaction.insert(memberships, { group_id: groupId, actor_id: actor.id })
      present.add(actor.id)
    }
    wanted.added = added.filter((id) => !joining.includes(id) || present.has(id))
    return missing.length > joining.length ? 'more' : { done: [...present].sort() }
  })
  return { data: { actor_ids: ids } }
}

const rowOf = ({ id, group_id, actor_id, inserted_at, updated_at }: MembershipRow): MembershipRow => ({
  id,
  group_id,
  actor_id,
  inserted_at,
  updated_at,
})

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
