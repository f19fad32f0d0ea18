import { handler as renewGatewaySession } from '#functions/api/gateway-sessions/renew-gateway-session.ts'
import { parseTimestamp, timestamp } from '#shared/core/clock.ts'
import type { Authorization, Client, Gateway, Resource } from '../models/account-model.ts'
import { agree } from '../world/agree.ts'
import type { SimulatedAccount } from '../world/simulated-account.ts'

type AuthorizationBody = { id: string; ingest_token: string }
type HeartbeatBody = {
  expires_at: string
  since: string
  complete: boolean
  authorizations: AuthorizationBody[] | null
  added: AuthorizationBody[] | null
  removed: string[] | null
  more: boolean
}

async function heartbeat(account: SimulatedAccount, gateway: Gateway, since: string | null): Promise<HeartbeatBody> {
  const { place, session } = gateway
  if (!session) throw new Error('The gateway is offline.')
  const body = since === null ? undefined : { session: { since } }
  const answer = await account.from(place, session.secret, renewGatewaySession, {
    method: 'PUT',
    params: { id: session.id },
    body,
  })
  agree(`the heartbeat of gateway ${gateway.id}`, answer.status, 200)
  session.leaseEnd = parseTimestamp(answer.body.data.expires_at) as number
  account.channel.heartbeat(gateway.id)
  gateway.seen = place
  return answer.body.data
}

/** Returns an authorization as a gateway receives it (P4), without the ingest token. */
function contentOf({ model }: SimulatedAccount, authorization: Authorization) {
  const client = model.clients.get(authorization.client) as Client
  const { site, stack, ...resource } = model.resources.get(authorization.resource) as Resource
  return {
    id: authorization.id,
    client: { id: client.id, actor_id: client.actor, ipv4: client.ipv4, ipv6: client.ipv6, public_key: client.key },
    resource: { ...resource, address_description: null, ip_stack: stack, site_id: site },
    policy_id: authorization.policy,
    flow_log_uploads_enabled: authorization.uploads,
    expires_at: timestamp(authorization.expiresAt),
  }
}

const withoutToken = ({ ingest_token, ...content }: AuthorizationBody): [string, unknown] => [content.id, content]
export const byId = (entries: Iterable<[string, unknown]>) =>
  Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))

export const contentsOf = (account: SimulatedAccount, gateway: Gateway) =>
  byId(account.access.inForce(gateway).map((one): [string, unknown] => [one.id, contentOf(account, one)]))

/**
 * Sends heartbeats for the gateway until it has received all changes, and then compares its authorizations with the model (P4).
 * @param full also compares a complete response
 */
export async function compareHeartbeat(account: SimulatedAccount, gateway: Gateway, full: boolean): Promise<void> {
  const state = account.gatewayStates.get(gateway.id) ?? {
    session: '',
    since: null,
    authorizations: new Map<string, unknown>(),
  }
  const expected = contentsOf(account, gateway)
  const session = gateway.session?.id ?? ''
  for (let more = true, first = true; more; first = false) {
    const response = await heartbeat(account, gateway, state.since)
    // Expects a complete response unless the request contains a `since` of the same session (P4.3).
    if (first) agree('a complete answer', response.complete, state.since === null || state.session !== session)
    if (response.complete) state.authorizations.clear()
    for (const id of response.removed ?? []) state.authorizations.delete(id)
    for (const one of response.authorizations ?? response.added ?? []) state.authorizations.set(...withoutToken(one))
    account.note(response.complete ? 'heartbeat, complete' : 'heartbeat', gateway.id)
    for (const _ of response.added ?? []) account.note('added')
    for (const _ of response.removed ?? []) account.note('removed')
    state.since = response.since
    state.session = session
    more = response.more
  }
  account.gatewayStates.set(gateway.id, state)
  agree(`what gateway ${gateway.id} holds`, byId(state.authorizations), expected)
  if (!full) return
  const response = await heartbeat(account, gateway, null)
  agree(`the full answer to gateway ${gateway.id}`, byId((response.authorizations ?? []).map(withoutToken)), expected)
}
