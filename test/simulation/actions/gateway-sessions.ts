import { handler as endGatewaySession } from '#functions/api/gateway-sessions/end-gateway-session.ts'
import { handler as startGatewaySession } from '#functions/api/gateway-sessions/start-gateway-session.ts'
import { handler as createGatewayOperation } from '#functions/api/gateways/create-gateway.ts'
import type { Gateway, GatewaySession } from '../models/account-model.ts'
import type { GatewayToken } from '../models/gateway-token-model.ts'
import { agree } from '../world/agree.ts'
import { places } from '../world/places.ts'
import type { SimulatedAccount } from '../world/simulated-account.ts'
import { createOwnToken, createSiteToken } from './gateway-token-actions.ts'
import { leaseEnd } from './lease-end.ts'

const newGateway = ({ random }: SimulatedAccount, site: string): Gateway => ({
  id: '',
  site,
  key: random.bytes(32).toString('base64'),
  place: random.pick(places),
  version: random.pick(['1.4.0', '1.4.7', '1.5.0', '1.3.0', '1.4.0', '2.0.0', 'nightly']),
  session: null,
  seen: null,
})

export async function createGateway(account: SimulatedAccount, site: string): Promise<Gateway> {
  const { id, token } = await account.administer(createGatewayOperation, { method: 'POST', params: { site_id: site } })
  const gateway = { ...newGateway(account, site), id }
  account.model.gateways.set(id, gateway)
  account.model.gatewayTokens.add({ id: null, secret: token, site, gateway: id })
  return gateway
}

type Started = { id: string; session: GatewaySession }

/** Starts a session, which marks the token as used (P2.4). */
async function start(
  account: SimulatedAccount,
  { key, version, place }: Gateway,
  token: GatewayToken,
): Promise<Started> {
  const before = account.clock.now
  const body = { session: { public_key: key, version } }
  const answer = await account.from(place, token.secret, startGatewaySession, { method: 'POST', body })
  agree('a gateway starts a session', answer.status, 201)
  const { id, gateway, expires_at } = answer.body.data
  account.model.useGatewayToken(token)
  token.id ??= gateway.gateway_token_id
  agree(
    'the token of a gateway session, and whether it is rotated out',
    [gateway.gateway_token_id, gateway.rotated_at !== null],
    [token.id, token.rotatedAt !== null],
  )
  const session = { id, secret: token.secret, key, version, leaseEnd: leaseEnd(account, before, expires_at) }
  return { id: gateway.id, session }
}

/** Returns the tokens that a gateway can connect with: its own tokens, and after its first session also those of its site (P2.2). */
function tokensFor({ model }: SimulatedAccount, gateway: Gateway): GatewayToken[] {
  const gatewayTokens = model.gatewayTokens.ofGateway(gateway.id)
  return gateway.seen ? [...gatewayTokens, ...model.gatewayTokens.ofSite(gateway.site)] : gatewayTokens
}

/** Starts a session for the gateway. The gateway keeps its authorizations if its key is unchanged (P1.8). */
export async function connectGateway(account: SimulatedAccount, gateway: Gateway): Promise<void> {
  const { model, random } = account
  const tokens = tokensFor(account, gateway)
  const token = tokens.length > 0 ? random.pick(tokens) : await createOwnToken(account, gateway)
  const former = gateway.key
  // Changes the key only of an offline gateway that has its own token. An active session refuses a different key (P2.3), and a site token
  // would create a second gateway.
  if (!gateway.session && token.gateway !== null && random.chance(0.1)) {
    gateway.key = random.bytes(32).toString('base64')
  }
  const { id, session } = await start(account, gateway, token)
  agree('the gateway of a session', id, gateway.id)
  if (gateway.key !== former && gateway.seen) model.endAuthorizations((one) => one.gateway === gateway.id)
  gateway.session = session
  gateway.seen = gateway.place
}

/** Creates a gateway by starting its first session with a site token (P2.2). */
export async function joinSite(account: SimulatedAccount, site: string): Promise<void> {
  const { model, random } = account
  const siteTokens = model.gatewayTokens.ofSite(site)
  const token = siteTokens.length > 0 ? random.pick(siteTokens) : await createSiteToken(account, site)
  const gateway = newGateway(account, site)
  const { id, session } = await start(account, gateway, token)
  agree('the gateway that joins is a new one', model.gateways.has(id), false)
  model.gateways.set(id, { ...gateway, id, session, seen: gateway.place })
}

export async function disconnectGateway(account: SimulatedAccount, gateway: Gateway): Promise<void> {
  if (!gateway.session) return
  const { id, secret } = gateway.session
  const answer = await account.from(gateway.place, secret, endGatewaySession, { method: 'DELETE', params: { id } })
  agree('a gateway session is ended', answer.status, 200)
  gateway.session = null
}
