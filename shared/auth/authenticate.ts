import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { clock, parseTimestamp, timestamp } from '../core/clock.ts'
import { unauthorized } from '../core/errors.ts'
import { bearerToken, readToken, type SecretHash, secretMatches, type TokenKind } from '../core/token.ts'
import { type AccountRow, accounts } from '../domain/accounts/account.ts'
import { type ActorRow, actors } from '../domain/actors/actor.ts'
import { apiTokens } from '../domain/api-tokens/api-token.ts'
import { clientTokens } from '../domain/client-tokens/client-token.ts'
import { gatewayTokens } from '../domain/gateway-tokens/gateway-token.ts'
import { rotationEnded } from '../domain/gateway-tokens/rotation.ts'
import { type GatewayRow, gateways } from '../domain/gateways/gateway.ts'
import { type SiteRow, sites } from '../domain/sites/site.ts'
import { table, tableName } from '../table/client.ts'
import { itemRow, type Row } from '../table/entity.ts'
import { entityKey, type Key, liveKey } from '../table/keys.ts'
import { getItems } from '../table/read.ts'
import type { Caller } from './caller.ts'

const tokenEntities = { api: apiTokens, client: clientTokens, gateway: gatewayTokens }
const minute = 60_000_000

const unexpired = (token: { expires_at?: string }, now: number): boolean =>
  token.expires_at === undefined || (parseTimestamp(token.expires_at) ?? 0) > now

/**
 * The caller of a token of this kind, by one consistent read of token, owner and account (A3.1).
 * @throws ApiError `unauthorized`, the same for every reason.
 */
export async function authenticate(kind: TokenKind, authorization: string | undefined): Promise<Caller> {
  const text = bearerToken(authorization)
  const presented = text === null ? null : readToken(kind, text)
  if (!presented) throw unauthorized()
  const { accountId, ownerId, tokenId } = presented
  const collection = tokenEntities[kind].name
  const [tokenItem, accountItem, live, owner, otherOwner] = await getItems([
    entityKey(accountId, collection, tokenId),
    entityKey(accountId, accounts.name, accountId),
    liveKey(accountId, collection, tokenId),
    entityKey(accountId, kind === 'gateway' ? gateways.name : actors.name, ownerId),
    entityKey(accountId, sites.name, ownerId),
  ])
  const token = tokenItem && itemRow<Row & SecretHash & { expires_at?: string }>(tokenItem)
  const account = accountItem && itemRow<AccountRow>(accountItem)
  const now = clock.now()
  if (!token || !account || account.is_disabled || !unexpired(token, now)) throw unauthorized()
  if (!(await secretMatches(presented, token))) throw unauthorized()
  const caller = withOwner(kind, token, account, owner, otherOwner, now)
  if (!caller) throw unauthorized()
  await noteUse(accountId, collection, tokenId, kind === 'gateway' ? null : ownerId, live, now)
  return caller
}

type Item = Record<string, unknown> | undefined

function withOwner(
  kind: TokenKind,
  token: Row,
  account: AccountRow,
  owner: Item,
  site: Item,
  now: number,
): Caller | null {
  if (kind === 'gateway') {
    const row = token as Extract<Caller, { kind: 'gateway' }>['token']
    if (rotationEnded(row, now)) return null
    const gateway = owner ? itemRow<GatewayRow>(owner) : null
    if (row.gateway_id ? gateway?.id !== row.gateway_id : (site && itemRow<SiteRow>(site).id) !== row.site_id)
      return null
    return { kind, account, token: row, gateway: row.gateway_id ? gateway : null }
  }
  const actor = owner && itemRow<ActorRow>(owner)
  if (!actor || actor.is_disabled || (token as Row & { actor_id: string }).actor_id !== actor.id) return null
  return { kind, account, actor, token } as Caller
}

/** Last use of a token, and of its actor, at most once a minute (A3.1(7)). */
async function noteUse(
  account: string,
  collection: string,
  id: string,
  actorId: string | null,
  live: Item,
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
