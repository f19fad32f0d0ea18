import { clock, parseTimestamp, timestamp } from '../core/clock.ts'
import { unauthorized } from '../core/errors.ts'
import { bearerToken, readToken, secretMatches, type TokenKind } from '../core/secrets/token.ts'
import { type AccountRow, accounts } from '../domain/accounts/account.ts'
import { type ActorRow, actors } from '../domain/actors/actor.ts'
import { apiTokens } from '../domain/api-tokens/api-token.ts'
import { clientTokens } from '../domain/client-tokens/client-token.ts'
import { gatewayTokens, rotationEnded } from '../domain/gateway-tokens/gateway-token.ts'
import { gateways } from '../domain/gateways/gateway.ts'
import { portalSessions } from '../domain/portal-sessions/portal-session.ts'
import { sites } from '../domain/sites/site.ts'
import { changeItem } from '../table/change-item.ts'
import { type Entity, itemRow, type Row } from '../table/entity.ts'
import { entityKey, presenceItemKey } from '../table/keys.ts'
import { getItems } from '../table/read.ts'
import { isUnexpired } from '../values/expiry.ts'
import { type Caller, type CallerOf, type Credential, kindsOf } from './caller.ts'

const tokenEntities = { api: apiTokens, portal: portalSessions, client: clientTokens, gateway: gatewayTokens }
const minuteMicros = 60_000_000

type Item = Record<string, unknown>

type TokenContext = { token: Item; account: AccountRow; owner: Item | undefined; site: Item | undefined; now: number }

function actorOf(token: { actor_id: string }, owner: Item | undefined): ActorRow | null {
  const actor = owner && itemRow(actors, owner)
  return actor && !actor.is_disabled && actor.id === token.actor_id ? actor : null
}

/** Returns the caller of a token that belongs to an actor; null for a token that is no longer valid (A3.1(5)). */
const callerOfActor =
  <K extends TokenKind, R extends Row & { actor_id: string; expires_at: string }>(kind: K, entity: Entity<R>) =>
  ({ token: item, account, owner, now }: TokenContext) => {
    const token = itemRow(entity, item)
    const actor = actorOf(token, owner)
    return actor && isUnexpired(token, now) ? { kind, account, actor, token } : null
  }

const callers: { [K in TokenKind]: (context: TokenContext) => Extract<Caller, { kind: K }> | null } = {
  api: callerOfActor('api', apiTokens),
  portal: callerOfActor('portal', portalSessions),
  client: callerOfActor('client', clientTokens),
  gateway({ account, owner, site, now, ...rest }) {
    const token = itemRow(gatewayTokens, rest.token)
    if (rotationEnded(token, now)) return null
    if (token.gateway_id === null)
      return site?.id === token.site_id ? { kind: 'gateway', account, token, gateway: null } : null
    return owner?.id === token.gateway_id
      ? { kind: 'gateway', account, token, gateway: itemRow(gateways, owner) }
      : null
  },
}

const isCallerOf = <C extends Credential>(credential: C, caller: Caller): caller is CallerOf<C> =>
  (kindsOf[credential] as readonly TokenKind[]).includes(caller.kind)

/**
 * Authenticates the owner of a token with one consistent read (A3.1).
 * @throws ApiError `unauthorized`, which does not reveal the reason
 */
export async function authenticate<C extends Credential>(
  credential: C,
  authorization: string | undefined,
): Promise<CallerOf<C>> {
  const text = bearerToken(authorization)
  const presentedToken = text === null ? null : readToken(kindsOf[credential], text)
  if (!presentedToken) throw unauthorized()
  const { kind, accountId, ownerId, tokenId } = presentedToken
  const collection = tokenEntities[kind].name
  const keys = [
    entityKey(accountId, collection, tokenId),
    entityKey(accountId, accounts.name, accountId),
    entityKey(accountId, kind === 'gateway' ? gateways.name : actors.name, ownerId),
    // Skips items that cannot exist: the presence item of a portal session, and the site of any token except a gateway token.
    ...(kind === 'portal' ? [] : [presenceItemKey(accountId, collection, tokenId)]),
    ...(kind === 'gateway' ? [entityKey(accountId, sites.name, ownerId)] : []),
  ]
  const [token, accountItem, owner, presence, site] = await getItems(keys)
  const account = accountItem && itemRow(accounts, accountItem)
  const now = clock.now()
  if (!token || !account || account.is_disabled) throw unauthorized()
  const caller = callers[kind]({ token, account, owner, site, now })
  if (!caller || !isCallerOf(credential, caller) || !secretMatches(presentedToken, caller.token)) throw unauthorized()
  if (kind !== 'portal')
    await noteUse(accountId, collection, tokenId, kind === 'gateway' ? null : ownerId, presence, now)
  return caller
}

/** Records when a token and its actor were last used, at most once a minute (A3.1(7)). */
async function noteUse(
  account: string,
  collection: string,
  id: string,
  actorId: string | null,
  presence: Item | undefined,
  now: number,
): Promise<void> {
  const lastUse = presence?.last_seen_at ? (parseTimestamp(String(presence.last_seen_at)) ?? 0) : 0
  if (now - lastUse < minuteMicros) return
  const keys = [
    presenceItemKey(account, collection, id),
    ...(actorId === null ? [] : [presenceItemKey(account, actors.name, actorId)]),
  ]
  const set = { last_seen_at: timestamp(now), kind: 'presence' }
  await Promise.all(keys.map((key) => changeItem(key, { set })))
}
