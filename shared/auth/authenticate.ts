import { clock, parseTimestamp, timestamp } from '../core/clock.ts'
import { unauthorized } from '../core/errors.ts'
import { bearerToken, readToken, secretMatches, type TokenKind } from '../core/secrets/token.ts'
import { type AccountRow, accounts } from '../domain/accounts/account.ts'
import { type ActorRow, actors } from '../domain/actors/actor.ts'
import { apiTokens } from '../domain/api-tokens/api-token.ts'
import { clientTokens } from '../domain/client-tokens/client-token.ts'
import { gatewayTokens } from '../domain/gateway-tokens/gateway-token.ts'
import { rotationEnded } from '../domain/gateway-tokens/rotation.ts'
import { gateways } from '../domain/gateways/gateway.ts'
import { portalSessions } from '../domain/portal-sessions/portal-session.ts'
import { sites } from '../domain/sites/site.ts'
import { table, tableName } from '../table/client.ts'
import { UpdateCommand } from '../table/commands.ts'
import { itemRow } from '../table/entity.ts'
import { entityKey, type Key, liveKey } from '../table/keys.ts'
import { getItems } from '../table/read.ts'
import { isUnexpired } from '../values/expiry.ts'
import { type Caller, type CallerOf, type Credential, kindsOf } from './caller.ts'

const tokenEntities = { api: apiTokens, portal: portalSessions, client: clientTokens, gateway: gatewayTokens }
const minute = 60_000_000

type Item = Record<string, unknown>

/** The items read for a token: its row, its account, and whatever its owner's id can stand for. */
type Found = { token: Item; account: AccountRow; owner: Item | undefined; site: Item | undefined; now: number }

/** The actor that a token belongs to, while it is enabled. */
function actorOf(token: { actor_id: string }, owner: Item | undefined): ActorRow | null {
  const actor = owner && itemRow(actors, owner)
  return actor && !actor.is_disabled && actor.id === token.actor_id ? actor : null
}

/** The caller that a stored token makes of its holder; null when it does not count any more (A3.1(5)). */
const callers: { [K in TokenKind]: (found: Found) => Extract<Caller, { kind: K }> | null } = {
  api({ account, owner, now, ...found }) {
    const token = itemRow(apiTokens, found.token)
    const actor = actorOf(token, owner)
    return actor && isUnexpired(token, now) ? { kind: 'api', account, actor, token } : null
  },
  portal({ account, owner, now, ...found }) {
    const token = itemRow(portalSessions, found.token)
    const actor = actorOf(token, owner)
    return actor && isUnexpired(token, now) ? { kind: 'portal', account, actor, token } : null
  },
  client({ account, owner, now, ...found }) {
    const token = itemRow(clientTokens, found.token)
    const actor = actorOf(token, owner)
    return actor && isUnexpired(token, now) ? { kind: 'client', account, actor, token } : null
  },
  gateway({ account, owner, site, now, ...found }) {
    const token = itemRow(gatewayTokens, found.token)
    if (rotationEnded(token, now)) return null
    if (token.gateway_id === null)
      return site?.id === token.site_id ? { kind: 'gateway', account, token, gateway: null } : null
    return owner?.id === token.gateway_id
      ? { kind: 'gateway', account, token, gateway: itemRow(gateways, owner) }
      : null
  },
}

const isCallerOf = <C extends Credential>(credential: C, caller: Caller): caller is CallerOf<C> => {
  const kinds: readonly TokenKind[] = kindsOf[credential]
  return kinds.includes(caller.kind)
}

/**
 * The caller of a token of a kind that the credential stands for, by one consistent read of token, owner and account (A3.1).
 * @throws ApiError `unauthorized`, the same for every reason.
 */
export async function authenticate<C extends Credential>(
  credential: C,
  authorization: string | undefined,
): Promise<CallerOf<C>> {
  const text = bearerToken(authorization)
  const presented = text === null ? null : readToken(kindsOf[credential], text)
  if (!presented) throw unauthorized()
  const { kind, accountId, ownerId, tokenId } = presented
  const collection = tokenEntities[kind].name
  const keys = [
    entityKey(accountId, collection, tokenId),
    entityKey(accountId, accounts.name, accountId),
    entityKey(accountId, kind === 'gateway' ? gateways.name : actors.name, ownerId),
    // Nothing shows when a portal session was last used, and only the token of a gateway can be that of a site.
    ...(kind === 'portal' ? [] : [liveKey(accountId, collection, tokenId)]),
    ...(kind === 'gateway' ? [entityKey(accountId, sites.name, ownerId)] : []),
  ]
  const [token, accountItem, owner, live, site] = await getItems(keys)
  const account = accountItem && itemRow(accounts, accountItem)
  const now = clock.now()
  if (!token || !account || account.is_disabled) throw unauthorized()
  const caller = callers[kind]({ token, account, owner, site, now })
  if (!caller || !isCallerOf(credential, caller) || !(await secretMatches(presented, caller.token)))
    throw unauthorized()
  if (kind !== 'portal') await noteUse(accountId, collection, tokenId, kind === 'gateway' ? null : ownerId, live, now)
  return caller
}

/** Last use of a token, and of its actor, at most once a minute (A3.1(7)). */
async function noteUse(
  account: string,
  collection: string,
  id: string,
  actorId: string | null,
  live: Item | undefined,
  now: number,
): Promise<void> {
  const last = live?.last_seen_at ? (parseTimestamp(String(live.last_seen_at)) ?? 0) : 0
  if (now - last < minute) return
  const keys = [liveKey(account, collection, id), ...(actorId === null ? [] : [liveKey(account, actors.name, actorId)])]
  await Promise.all(keys.map((key) => noteSeen(key, now)))
}

const noteSeen = (key: Key, now: number) =>
  table().send(
    new UpdateCommand({
      TableName: tableName(),
      Key: key,
      UpdateExpression: 'SET last_seen_at = :now, #kind = :live',
      ExpressionAttributeNames: { '#kind': 'kind' },
      ExpressionAttributeValues: { ':now': timestamp(now), ':live': 'live' },
    }),
  )
