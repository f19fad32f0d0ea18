import { randomBytes } from 'node:crypto'
import { handler as endSession } from '#functions/api/gateway-sessions/end-gateway-session.ts'
import { handler as renewSession } from '#functions/api/gateway-sessions/renew-gateway-session.ts'
import { handler as startSession } from '#functions/api/gateway-sessions/start-gateway-session.ts'
import { handler as createSiteToken } from '#functions/api/gateway-tokens/create-site-gateway-token.ts'
import { handler as createGateway } from '#functions/api/gateways/create-gateway.ts'
import { handler as getGateway } from '#functions/api/gateways/get-gateway.ts'
import { handler as createSite } from '#functions/api/sites/create-site.ts'
import { type Account, type Answer, call } from '#test/support/accounts/account.ts'
import { publicKey } from './public-key.ts'

export async function newSite(account: Account, name = `site ${randomBytes(4).toString('hex')}`) {
  const id: string = (await account.call(createSite, { method: 'POST', body: { site: { name } } })).body.data.id
  const params = { site_id: id }
  return {
    id,
    params,
    /** Creates a gateway and returns the `data` of the response, which contains the one-time token. */
    gateway: async (body?: unknown) => (await account.call(createGateway, { method: 'POST', params, body })).body.data,
    show: async (gatewayId: string) =>
      (await account.call(getGateway, { params: { ...params, id: gatewayId } })).body.data,
    token: async () => (await account.call(createSiteToken, { method: 'POST', params })).body.data,
  }
}

/** Starts a gateway session, by default with a new public key. */
export const start = (token: string, session: Record<string, unknown> = {}): Promise<Answer> =>
  call(startSession, {
    method: 'POST',
    token,
    body: { session: { public_key: publicKey(), version: '1.4.2', ...session } },
  })

export const heartbeat = (token: string, id: string, body?: unknown): Promise<Answer> =>
  call(renewSession, { method: 'PUT', token, params: { id }, body })

export const end = (token: string, id: string): Promise<Answer> =>
  call(endSession, { method: 'DELETE', token, params: { id } })
