import { groups } from '../../domain/groups/group.ts'
import { memberships } from '../../domain/memberships/membership.ts'
import { policies } from '../../domain/policies/policy.ts'
import type { Connection } from '../../live/connection.ts'
import { itemRow, linkKey } from '../../table/entity.ts'
import { type RowPointer, uniqueKey } from '../../table/keys.ts'
import { getItem, getItems, rowsBy } from '../../table/read.ts'
import type { Notification } from './notification.ts'

/** Number of memberships per read. */
const chunkLength = 1_000

/** Returns the connected clients whose reachable resources may have changed (C5.3). */
export async function concernedClients(
  account: string,
  notification: Notification,
  connections: Connection[],
): Promise<Connection[]> {
  if (notification.everyone) return connections
  const groupIds = [...new Set([...notification.groups, ...(await groupsThatReach(account, notification.resources))])]
  const actorIds = new Set(notification.actors)
  if (groupIds.length > 0) {
    const managedGroup = await getItem<RowPointer>(uniqueKey(account, `${groups.name}.managed`, 'everyone'))
    const everyPerson = managedGroup !== undefined && groupIds.includes(managedGroup.row.sk)
    for (const { actor_id, is_person } of connections) if (everyPerson && is_person && actor_id) actorIds.add(actor_id)
    const others = [...new Set(connections.flatMap(({ actor_id }) => (actor_id === null ? [] : [actor_id])))]
    for (const id of await filterMembers(
      account,
      groupIds,
      others.filter((actor) => !actorIds.has(actor)),
    ))
      actorIds.add(id)
  }
  return connections.filter(
    ({ actor_id, device_id }) => notification.clients.has(device_id) || (actor_id !== null && actorIds.has(actor_id)),
  )
}

async function groupsThatReach(account: string, resourceIds: Set<string>): Promise<string[]> {
  const granting = await Promise.all([...resourceIds].map((id) => rowsBy(policies, account, 'resource_id', id)))
  return granting.flat().flatMap(({ group_id }) => (group_id === null ? [] : [group_id]))
}

async function filterMembers(account: string, groupIds: string[], actorIds: string[]): Promise<Set<string>> {
  const members = new Set<string>()
  const keys = groupIds.flatMap((group) =>
    actorIds.map((actor) => linkKey(memberships, account, { set: group, member: actor })),
  )
  for (let at = 0; at < keys.length; at += chunkLength) {
    const items = await getItems(keys.slice(at, at + chunkLength))
    for (const item of items) if (item) members.add(itemRow(memberships, item).actor_id)
  }
  return members
}
