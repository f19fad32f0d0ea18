import { entity, itemRow, type Row } from '../../table/entity.ts'
import { partition } from '../../table/keys.ts'
import { getItem } from '../../table/read.ts'

export type MembershipRow = Row & { group_id: string; actor_id: string }

/** Memberships, keyed by actor id within the group's partition, so that members are listed in the order of actor ids (A7.2). */
export const memberships = entity<MembershipRow>({
  name: 'memberships',
  location: (row) => ({ parent: row.group_id, sort: row.actor_id }),
  indexes: { actor_id: { value: (row) => row.actor_id, sort: (row) => row.group_id } },
})

export async function getMembership(account: string, groupId: string, actorId: string) {
  const item = await getItem({ pk: partition(account, memberships.name, groupId), sk: actorId })
  return item && itemRow(memberships, item)
}
