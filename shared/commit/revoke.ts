import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { clock, jitter } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { measure } from '../core/logging/invocation.ts'
import { isLostRace } from '../core/passing-error.ts'
import { inParallel } from '../core/work/in-parallel.ts'
import { changeItem } from '../table/change-item.ts'
import { type Key, partition, presenceItemKey, type RowPointer } from '../table/keys.ts'
import { getItems, queryItems } from '../table/read.ts'
import { table, tableName } from '../table/table.ts'

/** Ends every authorization that depends on a policy, a resource and so on (A29, A30). A membership's id is `<group>#<actor>`. */
type AuthorizationsEnd = {
  by: Ground | 'gateway'
  id: string
  /** The instant of the commit: authorizations made on its state or a later one stay, however often this is done. */
  before?: string
}

/** Takes access away after a commit: ends authorizations, or the gateway sessions that began before an id was made. */
export type Revocation = AuthorizationsEnd | { by: 'gateway_sessions'; id: string; before?: string }

type Deletable = Key & Grounds & { state_at?: string }

/** The authorizations that depend on an object. */
export async function authorizationsOf(account: string, { by, id }: AuthorizationsEnd): Promise<Deletable[]> {
  if (by === 'gateway') return queryItems<Deletable>(partition(account, 'authorizations', id))
  const pointers = await queryItems<RowPointer>(authorizationsBy(account, by, id))
  const items = await getItems<Deletable>(pointers.map(({ row }) => row))
  return items.filter((item) => item !== undefined)
}

/** Deletes the authorizations, or ends the sessions, that a revocation names; tells how many. Harmless to repeat. */
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

/** @param since instant of the commit that asks for it, in microseconds: how long it took is measured if there was anything */
export async function revokeAll(account: string, revocations: Revocation[], since?: number): Promise<void> {
  let ended = 0
  await inParallel(revocations, 10, async (revocation) => {
    const count = await revoke(account, revocation)
    ended += count
  })
  if (ended > 0 && since !== undefined) measure('revocation_lag_ms', Math.round((clock.now() - since) / 1000))
}

/** Deletes an authorization with its pointers. A pointer that belongs to a later authorization by now stays. */
export async function deleteAuthorization(item: Deletable): Promise<void> {
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
      if (!(error instanceof TransactionCanceledException && isLostRace(error))) throw error
      const failed = (error.CancellationReasons ?? []).map(({ Code }) => Code === 'ConditionalCheckFailed')
      if (failed[0]) return
      pointers = pointers.filter((_, index) => !failed[index + 1])
    }
  }
  throw new ApiError('unavailable')
}

/** Rows that an authorization rests on. The id of a membership is `<group>#<actor>`; null by the managed group. */
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

/** The partition of pointers to the authorizations that depend on an object. Those of a gateway need none: they lie under it. */
const authorizationsBy = (account: string, by: Ground, id: string): string =>
  partition(account, `authorizations.${by}`, id)

/** At most one authorization of a client for a resource: its pointer by client is keyed by the resource. */
export const grantKey = (account: string, clientId: string, resourceId: string): Key => ({
  pk: authorizationsBy(account, 'client', clientId),
  sk: resourceId,
})

/** The keys of the items that lead to an authorization, that of its client first. They follow from what it rests on. */
export function pointerKeys({ id, account_id: account, ...grounds }: Grounds): [Key, ...Key[]] {
  const by = (ground: Exclude<Ground, 'client'>, value: string | null): Key[] =>
    value === null ? [] : [{ pk: authorizationsBy(account, ground, value), sk: id }]
  return [
    grantKey(account, grounds.client_id, grounds.resource_id),
    ...by('policy', grounds.policy_id),
    ...by('resource', grounds.resource_id),
    ...by('client_token', grounds.client_token_id),
    ...by('membership', grounds.membership),
  ]
}

type Session = Key & { session_id: string }
type LiveGateway = Session & { lease_expires_at: number }

/** Ends the gateway sessions of an account that began before this id was made (P1.7). Harmless to repeat. */
async function endSessionsBefore(account: string, bound: string): Promise<number> {
  const items = await queryItems<LiveGateway>(partition(account, 'presence.gateways'))
  const before = items.filter((item) => item.lease_expires_at > 0 && item.session_id < bound)
  await inParallel(before, 10, endDeviceSession)
  return before.length
}

/** Ends the client sessions that were started with a token, so that nobody has to look for the token (P1.7). Harmless to repeat. */
async function endSessionsOfToken(account: string, tokenId: string): Promise<void> {
  const pointers = await queryItems<Key & { client_id: string }>(partition(account, 'sessions.client_token', tokenId))
  const sessions = pointers.map(({ sk, client_id }) => ({
    ...presenceItemKey(account, 'clients', client_id),
    session_id: sk,
  }))
  await inParallel(sessions, 10, endDeviceSession)
}

/** Ends a session, unless another of the device has begun, or the device is gone. Harmless to repeat. */
export async function endDeviceSession({ session_id, ...key }: Session): Promise<void> {
  await changeItem(key, {
    set: { lease_expires_at: 0 },
    when: 'session_id = :session',
    values: { session: session_id },
  })
}
