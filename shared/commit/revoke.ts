import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { clock, jitter } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { measure } from '../core/logging/invocation.ts'
import { isConflict } from '../core/transient-error.ts'
import { inParallel, slicesOf } from '../core/work/in-parallel.ts'
import { changeItem } from '../table/change-item.ts'
import { type Key, partition, presenceItemKey, type RowPointer } from '../table/keys.ts'
import { getItems, queryItems } from '../table/read.ts'
import { table, tableName } from '../table/table.ts'

/** Revocation of all authorizations that depend on an object, such as a policy (A29, A30), or on the memberships of actors in a group. */
type AuthorizationsEnd = ({ by: Exclude<Ground, 'membership'> | 'gateway'; id: string } | MembershipsEnd) & {
  /** Time of the commit. Authorizations based on this state or a later one remain, so repeating the revocation is harmless. */
  before?: string
}

/** Memberships of actors in one group. `id` is the id of the group. */
type MembershipsEnd = { by: 'membership'; id: string; actors: string[] }

/** Access to remove after a commit. `gateway_sessions` ends the gateway sessions that started before `id` was generated. */
export type Revocation = AuthorizationsEnd | { by: 'gateway_sessions'; id: string; before?: string }

type DeletableAuthorization = Key & Grounds & { state_at?: string }

export async function authorizationsOf(account: string, end: AuthorizationsEnd): Promise<DeletableAuthorization[]> {
  const { by, id } = end
  if (by === 'gateway') return queryItems<DeletableAuthorization>(partition(account, 'authorizations', id))
  const pk = authorizationsBy(account, by, id)
  const pointers = await (by === 'membership' ? pointersOfMembers(pk, end.actors) : queryItems<RowPointer>(pk))
  const items = await getItems<DeletableAuthorization>(pointers.map(({ row }) => row))
  return items.filter((item) => item !== undefined)
}

/** Pointers per query. Together they take less than 4 KB, so a query consumes one read unit. */
const pointersPerQuery = 12

/** Number of actors whose pointers are read one after the other. */
const actorsPerLane = 10

/** Reads the pointers of actors in a group's partition. A group without authorizations takes one query for every ten actors. */
async function pointersOfMembers(pk: string, actors: string[]): Promise<RowPointer[]> {
  const sorted = [...new Set(actors)].sort()
  const lanes = await Promise.all(slicesOf(sorted, actorsPerLane).map((lane) => pointersOfLane(pk, lane)))
  return lanes.flat()
}

/** Reads the pointers of sorted actors. Each query starts at the next of the actors, and skips those between. */
async function pointersOfLane(pk: string, actors: string[]): Promise<RowPointer[]> {
  const wanted = new Set(actors)
  const found: RowPointer[] = []
  let limit = pointersPerQuery
  let after = actors[0]
  while (after !== undefined) {
    const page: RowPointer[] = await queryItems<RowPointer>(pk, { after, limit })
    found.push(...page.filter(({ sk }) => wanted.has(actorOf(sk))))
    const last = page.length === limit ? page.at(-1)?.sk : undefined
    const isWithinActor = last !== undefined && wanted.has(actorOf(last))
    // Reads an actor with many authorizations in a few queries.
    limit = isWithinActor ? 2 * limit : pointersPerQuery
    after = isWithinActor ? last : last && actors.find((actor) => actor > last)
  }
  return found
}

const actorOf = (sortKey: string): string => sortKey.slice(0, sortKey.indexOf('#'))

/** Deletes the authorizations, or ends the sessions, that a revocation covers. Returns their number. Idempotent. */
export async function revoke(account: string, revocation: Revocation): Promise<number> {
  if (revocation.by === 'gateway_sessions') return endSessionsBefore(account, revocation.id)
  const { before } = revocation
  const items = (await authorizationsOf(account, revocation)).filter(
    ({ state_at = '' }) => before === undefined || state_at < before,
  )
  await inParallel(items, 10, deleteAuthorization)
  if (revocation.by === 'client_token') await endSessionsOfToken(account, revocation.id)
  return items.length
}

/** @param since time of the commit, in microseconds; if present, records `revocation_lag_ms` when anything was revoked */
export async function revokeAll(account: string, revocations: Revocation[], since?: number): Promise<void> {
  let endedCount = 0
  await inParallel(revocations, 10, async (revocation) => {
    const count = await revoke(account, revocation)
    endedCount += count
  })
  if (endedCount > 0 && since !== undefined) measure('revocation_lag_ms', Math.round((clock.now() - since) / 1000))
}

/** Deletes an authorization with its pointers. A pointer that belongs to a later authorization remains. */
export async function deleteAuthorization(item: DeletableAuthorization): Promise<void> {
  let pointers: Key[] = pointerKeys(item)
  for (let tries = 0; tries < 12; tries++) {
    if (tries > 0) await clock.sleep(jitter(tries, 10, 250))
    const writes = [
      { TableName: tableName(), Key: { pk: item.pk, sk: item.sk }, ConditionExpression: 'attribute_exists(pk)' },
      ...pointers.map(({ pk, sk }) => ({
        TableName: tableName(),
        Key: { pk, sk },
        ConditionExpression: 'attribute_not_exists(pk) OR authorization_id = :id',
        ExpressionAttributeValues: { ':id': item.id },
      })),
    ]
    try {
      await table().send(new TransactWriteCommand({ TransactItems: writes.map((Delete) => ({ Delete })) }))
      return
    } catch (error) {
      if (!(error instanceof TransactionCanceledException && isConflict(error))) throw error
      const failures = (error.CancellationReasons ?? []).map(({ Code }) => Code === 'ConditionalCheckFailed')
      if (failures[0]) return
      pointers = pointers.filter((_, index) => !failures[index + 1])
    }
  }
  throw new ApiError('unavailable')
}

/** Ids of the rows that an authorization depends on. `membership` is `<group>#<actor>`, or null for the managed group. */
export type Grounds = {
  id: string
  account_id: string
  policy_id: string
  resource_id: string
  client_id: string
  client_token_id: string
  membership: string | null
}

type Ground = 'policy' | 'resource' | 'membership' | 'client' | 'client_token'

/**
 * Returns the partition of the pointers to authorizations that depend on an object. Gateways need no pointers, because the key of an
 * authorization contains the gateway.
 */
export const authorizationsBy = (account: string, by: Ground, id: string): string =>
  partition(account, `authorizations.${by}`, id)

/** Key of the pointer by client. The resource is the sort key, so a client has at most one authorization per resource. */
export const grantKey = (account: string, clientId: string, resourceId: string): Key => ({
  pk: authorizationsBy(account, 'client', clientId),
  sk: resourceId,
})

/** Keys of the pointers to an authorization. The pointer by client comes first. */
export function pointerKeys({ id, account_id: account, ...grounds }: Grounds): [Key, ...Key[]] {
  const by = (ground: Ground, value: string): Key => ({ pk: authorizationsBy(account, ground, value), sk: id })
  const [group = '', actor] = grounds.membership?.split('#') ?? []
  return [
    grantKey(account, grounds.client_id, grounds.resource_id),
    by('policy', grounds.policy_id),
    by('resource', grounds.resource_id),
    by('client_token', grounds.client_token_id),
    ...(actor ? [{ pk: authorizationsBy(account, 'membership', group), sk: `${actor}#${id}` }] : []),
  ]
}

type Session = Key & { session_id: string }
type PresentGateway = Session & { lease_expires_at: number }

/** Ends the account's gateway sessions that started before the id `bound` was generated (P1.7). Idempotent. */
async function endSessionsBefore(account: string, bound: string): Promise<number> {
  const items = await queryItems<PresentGateway>(partition(account, 'presence.gateways'))
  const formerSessions = items.filter((item) => item.lease_expires_at > 0 && item.session_id < bound)
  await inParallel(formerSessions, 10, endDeviceSession)
  return formerSessions.length
}

/** Ends the client sessions that were started with a token (P1.7). Idempotent. */
async function endSessionsOfToken(account: string, tokenId: string): Promise<void> {
  const pointers = await queryItems<Key & { client_id: string }>(partition(account, 'sessions.client_token', tokenId))
  const sessions = pointers.map(({ sk, client_id }) => ({
    ...presenceItemKey(account, 'clients', client_id),
    session_id: sk,
  }))
  await inParallel(sessions, 10, endDeviceSession)
}

/** Ends a session, unless the device was deleted or has started another session. Idempotent. */
export async function endDeviceSession({ session_id, ...key }: Session): Promise<void> {
  await changeItem(key, {
    set: { lease_expires_at: 0 },
    when: 'session_id = :session',
    values: { session: session_id },
  })
}
