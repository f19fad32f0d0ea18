import { handler as createSiteGatewayToken } from '#functions/api/gateway-tokens/create-site-gateway-token.ts'
import { handler as deleteGatewayToken } from '#functions/api/gateway-tokens/delete-gateway-token.ts'
import { handler as deleteSiteGatewayTokens } from '#functions/api/gateway-tokens/delete-site-gateway-tokens.ts'
import { handler as createGatewayToken } from '#functions/api/gateways/create-gateway-token.ts'
import { handler as rotateGatewayToken } from '#functions/api/gateways/rotate-gateway-token.ts'
import type { Gateway } from '../models/account-model.ts'
import type { GatewayToken } from '../models/gateway-token-model.ts'
import { agree } from '../world/agree.ts'
import type { SimulatedAccount } from '../world/simulated-account.ts'

const pathOf = ({ site, id }: Gateway) => ({ site_id: site, gateway_id: id })

/** Creates a token for a gateway. The gateway must not have an active token yet. */
export async function createOwnToken(account: SimulatedAccount, gateway: Gateway): Promise<GatewayToken> {
  const { id, token } = await account.administer(createGatewayToken, { method: 'POST', params: pathOf(gateway) })
  return account.model.gatewayTokens.add({ id, secret: token, site: gateway.site, gateway: gateway.id })
}

export async function createSiteToken(account: SimulatedAccount, site: string): Promise<GatewayToken> {
  const request = { method: 'POST', params: { site_id: site } }
  const { id, token } = await account.administer(createSiteGatewayToken, request)
  return account.model.gatewayTokens.add({ id, secret: token, site, gateway: null })
}

export async function createSecondToken(account: SimulatedAccount, gateway: Gateway): Promise<void> {
  if (!account.model.gatewayTokens.activeOf(gateway.id)) return
  const answer = await account.ask(createGatewayToken, { method: 'POST', params: pathOf(gateway) })
  agree('a second token is refused', [answer.status, answer.body.code], [409, 'active_token_exists'])
}

export async function rotateToken(account: SimulatedAccount, gateway: Gateway): Promise<void> {
  const { model, clock } = account
  const { id, token } = await account.administer(rotateGatewayToken, { method: 'POST', params: pathOf(gateway) })
  model.rotateGatewayToken(gateway.id, clock.now)
  model.gatewayTokens.add({ id, secret: token, site: gateway.site, gateway: gateway.id })
}

/** Deletes a token of the gateway or its site. The deletion ends all sessions that the token started. */
export async function deleteToken(account: SimulatedAccount, { id, site }: Gateway): Promise<void> {
  const { model, random } = account
  const tokens = [...model.gatewayTokens.ofGateway(id), ...model.gatewayTokens.ofSite(site)]
  const identified = tokens.filter((token) => token.id !== null)
  if (identified.length === 0) return
  const token = random.pick(identified)
  const params = { site_id: site, id: token.id as string }
  await account.administer(deleteGatewayToken, { method: 'DELETE', params })
  model.endGatewayTokens((other) => other === token)
}

export async function deleteSiteTokens(account: SimulatedAccount, site: string): Promise<void> {
  const { model } = account
  const siteTokens = model.gatewayTokens.ofSite(site)
  const request = { method: 'DELETE', params: { site_id: site } }
  const { deleted_count } = await account.administer(deleteSiteGatewayTokens, request)
  agree('the number of site tokens', deleted_count, siteTokens.length)
  model.endGatewayTokens((token) => siteTokens.includes(token))
}
