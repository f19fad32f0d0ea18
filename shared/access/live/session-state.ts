import { clock } from '../../core/clock.ts'
import { accounts } from '../../domain/accounts/account.ts'
import { actors } from '../../domain/actors/actor.ts'
import { clientTokens } from '../../domain/client-tokens/client-token.ts'
import { clients } from '../../domain/clients/client.ts'
import type { Connection } from '../../domain/connections/connection.ts'
import { gatewayTokens } from '../../domain/gateway-tokens/gateway-token.ts'
import { rotationEnded } from '../../domain/gateway-tokens/rotation.ts'
import { gateways } from '../../domain/gateways/gateway.ts'
import { isOnline, type Presence, presenceKey } from '../../domain/presence/presence.ts'
import type { SessionEnd } from '../../live/end-connection.ts'
import { itemRow } from '../../table/entity.ts'
import { entityKey } from '../../table/keys.ts'
import { getItems, type Look } from '../../table/read.ts'
import { isUnexpired } from '../../values/expiry.ts'

/** The live item of a connection's session, or why there is none any more: `lapsed` without a reason that C5 names. */
export type SessionState =
  | { presence: Presence; token: { expires_at?: string }; ended: null }
  | { ended: SessionEnd | 'lapsed' }

/** Whether the session of a connection is live, and so could renew itself over HTTP: one read. */
export async function sessionState(connection: Connection, look: Look): Promise<SessionState> {
  const { account_id, device, device_id, session_id, token_id, actor_id } = connection
  const isClient = device === 'clients'
  const keys = [
    entityKey(account_id, accounts.name, account_id),
    presenceKey(account_id, device, device_id),
    entityKey(account_id, isClient ? clients.name : gateways.name, device_id),
    entityKey(account_id, isClient ? clientTokens.name : gatewayTokens.name, token_id),
    ...(actor_id === null ? [] : [entityKey(account_id, actors.name, actor_id)]),
  ]
  const [account, live, row, token, actor] = await getItems(keys, look)
  const now = clock.now()
  const presence = live as Presence | undefined
  const ended = (reason: SessionEnd | 'lapsed'): SessionState => ({ ended: reason })
  if (!account || itemRow(accounts, account).is_disabled) return ended('account')
  if (!row) return ended('device')
  if (actor_id !== null && (!actor || itemRow(actors, actor).is_disabled)) return ended('actor')
  const held = token && (isClient ? clientToken(token, now) : gatewayToken(token, now))
  if (!held) return ended('token')
  if (!presence || presence.session_id !== session_id) return ended('replaced')
  return isOnline(presence, now) ? { presence, token: held, ended: null } : ended('lapsed')
}

/** A token as far as it bounds a lease; null when it does not count any more. */
function clientToken(item: Record<string, unknown>, now: number): { expires_at: string } | null {
  const token = itemRow(clientTokens, item)
  return isUnexpired(token, now) ? token : null
}

const gatewayToken = (item: Record<string, unknown>, now: number): { expires_at?: string } | null =>
  rotationEnded(itemRow(gatewayTokens, item), now) ? null : {}
