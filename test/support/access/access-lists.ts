import { randomUUID } from 'node:crypto'
import { handler as listActorsWithAccess } from '#functions/api/access/list-actors-with-access.ts'
import { handler as listReachableResources } from '#functions/api/access/list-reachable-resources.ts'
import type { ActorRow } from '#shared/domain/actors/actor.ts'
import { memberships } from '#shared/domain/memberships/membership.ts'
import { insertActor, insertRow } from '../accounts/rows.ts'
import type { AccessWorld } from './access.ts'

type Row = { id: string; policies: { id: string }[] }

const list =
  (handler: typeof listActorsWithAccess) =>
  ({ account }: AccessWorld, id: string, query: Record<string, string> = {}) =>
    account.call(handler, { params: { id }, path: `/access/${id}`, query })
export const listActors = list(listActorsWithAccess)
export const listResources = list(listReachableResources)

export const idsOf = (rows: Row[]) => rows.map(({ id }) => id)
export const actorsOf = async (world: AccessWorld, id = world.resource.id): Promise<Row[]> =>
  (await listActors(world, id)).body.data
export const resourcesOf = async (world: AccessWorld, id = world.actor.id): Promise<Row[]> =>
  (await listResources(world, id)).body.data

export async function addMember(world: AccessWorld, fields: Partial<ActorRow> = {}) {
  const actor = await insertActor(world.account.id, fields)
  await insertRow(world.account.id, memberships, { group_id: world.group.id, actor_id: actor.id })
  return actor
}

/**
 * Three conditions for tests: `providerCondition` can be met by people, `officeCondition` is met by some addresses, and `unmetCondition` is
 * never met.
 */
export const providerCondition = { property: 'auth_provider_id', operator: 'is_in', values: [randomUUID()] }
export const officeCondition = { property: 'remote_ip', operator: 'is_in_cidr', values: ['203.0.113.0/24'] }
export const unmetCondition = {
  property: 'current_utc_datetime',
  operator: 'is_in_day_of_week_time_ranges',
  values: ['M//UTC'],
}
