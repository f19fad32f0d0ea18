import { entity, itemRow, linkKey, type Row } from '../../table/entity.ts'
import { getItem } from '../../table/read.ts'

export type MembershipRow = Row & { group_id: string; actor_id: string }

export const memberships = entity<MembershipRow>({
  name: 'memberships',
  link: (row) => ({ set: row.group_id, member: row.actor_id }),
})

export async function getMembership(account: string, groupId: string, actorId: string) {
  const item = await getItem(linkKey(memberships, account, { set: groupId, member: actorId }))
  return item && itemRow(memberships, item)
}
