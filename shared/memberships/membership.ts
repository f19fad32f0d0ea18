import { entity, type Row } from '../table/entity.ts'

export type MembershipRow = Row & { group_id: string; actor_id: string }

/** Lies in its group's part under the actor's id, so that members list in the order of the actors (A7.2). */
export const memberships = entity<MembershipRow>({
  name: 'memberships',
  place: (row) => ({ within: row.group_id, sort: row.actor_id }),
  edges: { actor_id: { value: (row) => row.actor_id, sort: (row) => row.group_id } },
})
