import { clock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { measure } from '../core/logging/invocation.ts'
import { jitter, waiting } from '../core/work/waiting.ts'
import { table, tableName } from '../table/client.ts'
import { TransactWriteCommand } from '../table/commands.ts'
import { type Key, partition, type RowPointer } from '../table/keys.ts'
import { isLostRace } from '../table/lost-race.ts'
import { getItems, queryItems } from '../table/read.ts'
import { TransactionCanceledException } from '../table/refused-write.ts'
import { authorizationsBy, type Ground, type Grounds, pointerKeys } from './authorization-pointers.ts'
import { endSessionsBefore, endSessionsOfToken } from './end-sessions.ts'

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
  for (let at = 0; at < items.length; at += 10) await Promise.all(items.slice(at, at + 10).map(deleteAuthorization))
  if (revocation.by === 'client_token') await endSessionsOfToken(account, revocation.id)
  return items.length
}

/** @param since instant of the commit that asks for it, in microseconds: how long it took is measured if there was anything */
export async function revokeAll(account: string, revocations: Revocation[], since?: number): Promise<void> {
  let ended = 0
  for (let at = 0; at < revocations.length; at += 10) {
    const counts = await Promise.all(revocations.slice(at, at + 10).map((revocation) => revoke(account, revocation)))
    ended += counts.reduce((sum, count) => sum + count, 0)
  }
  if (ended > 0 && since !== undefined) measure('revocation_lag_ms', Math.round((clock.now() - since) / 1000))
}

/**
 * Deletes an authorization, confirmed or pending, together with everything that points to it. A pointer that belongs to a later
 * authorization by now stays: without it that one could not be found when it must end.
 */
export async function deleteAuthorization(item: Deletable): Promise<void> {
  let pointers: Key[] = pointerKeys(item)
  for (let tries = 0; tries < 12; tries++) {
    if (tries > 0) await waiting.sleep(jitter(tries, 10, 250))
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
