import type { Author } from '../../commit/commit.ts'
import { ApiError } from '../../core/errors.ts'
import { sideBySide } from '../../core/work/side-by-side.ts'
import { listMemberIds, listRows } from '../../table/list.ts'
import { existingRow, getRows } from '../../table/read.ts'
import type { Page } from '../../values/page.ts'
import { type ActorRow, actors } from '../actors/actor.ts'
import { groups } from '../groups/group.ts'
import { type ChangedSet, editMembers, replaceMembers } from '../member-sets/change-members.ts'
import { progress } from '../member-sets/pending-change.ts'
import type { MemberSet } from '../member-sets/set-change.ts'
import { memberships } from './membership.ts'

/** Renders a member for lists. Repeats the id as `actor_id`, the name used in `PUT` requests (A15.1). */
const renderMember = ({ id, name, type }: ActorRow) => ({ id, actor_id: id, name, type })

/** Lists the members of a group. The group Everyone contains all users and administrators of the account (A15.2). */
export async function list(account: string, groupId: string, page: Page) {
  const [group, listed] = await sideBySide(
    existingRow(groups, account, groupId),
    listMemberIds(memberships, account, page, groupId),
  )
  if (group.is_managed) {
    const { rows, metadata } = await listRows(actors, account, page, { indexes: { person: 'true' } })
    return { data: rows.map(renderMember), metadata }
  }
  const members = await getRows(actors, account, listed.rows)
  const found = members.filter((actor): actor is ActorRow => actor !== null)
  return { data: found.map(renderMember), metadata: listed.metadata }
}

const renderChange = ({ ids, pending }: ChangedSet) => ({ data: { actor_ids: ids }, ...progress(pending) })

export const replace = async (author: Author, groupId: string, entries: unknown[]) =>
  renderChange(await replaceMembers(author, groupMembers, groupId, entries))

export const edit = async (author: Author, groupId: string, sent: Record<string, unknown>) =>
  renderChange(await editMembers(author, groupMembers, groupId, sent))

/** The members of a group, as a set. Removing a member revokes the authorizations that the membership granted. */
export const groupMembers: MemberSet = {
  entity: memberships,
  owners: groups.name,
  members: actors.name,
  key: 'actor_id',
  envelope: 'memberships',
  noun: 'actor',
  idsNoun: 'actor ids',
  isGiven: (id) => id !== undefined && id !== null && id !== '',
  isList: Array.isArray,
  async check(transaction, id) {
    const group = await transaction.existing(groups, id)
    if (group.is_managed)
      throw new ApiError('managed_group', 'The members of the group Everyone are managed by the system.')
    if (group.idp_id !== null) throw new ApiError('synced_group', 'This group is synced from a directory.')
  },
  row: (group_id, actor_id) => ({ group_id, actor_id }),
  revocation: (groupId, actorId) => ({ by: 'membership', id: groupId, actors: [actorId] }),
}
