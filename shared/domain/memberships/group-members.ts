import { actors } from '../actors/actor.ts'
import { groups } from '../groups/group.ts'
import type { MemberSet } from '../member-sets/member-set.ts'
import { type MembershipRow, memberships } from './membership.ts'

/** The members of a group as a set: who leaves loses what the membership authorized. */
export const groupMembers: MemberSet<MembershipRow> = {
  entity: memberships,
  owners: groups.name,
  members: actors.name,
  key: 'actor_id',
  envelope: 'memberships',
  noun: 'actor',
  row: (group_id, actor_id) => ({ group_id, actor_id }),
  revocation: (groupId, actorId) => ({ by: 'membership', id: `${groupId}#${actorId}` }),
}
