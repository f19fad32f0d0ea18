import { handler as authorize } from '#functions/api/authorizations/create-authorization.ts'
import { handler as startClientSession } from '#functions/api/client-sessions/start-client-session.ts'
import { handler as startGatewaySession } from '#functions/api/gateway-sessions/start-gateway-session.ts'
import { agree } from '../world/agree.ts'
import { places } from '../world/places.ts'
import type { SimulatedAccount } from '../world/simulated-account.ts'

/** Expects that expired and revoked tokens can neither start a session nor request a resource (A3.1). */
export async function compareEndedTokens(account: SimulatedAccount): Promise<void> {
  const { model, random } = account
  const ended = model.endedSecrets.take(random)
  const endedOfGateways = model.gatewayTokens.endedSecrets.take(random)
  const place = random.pick(places)
  const key = random.bytes(32).toString('base64')
  const answers = await Promise.all([
    ...ended.map((secret) => {
      const body = { authorization: { resource_id: random.pick([...model.resources.keys()]) } }
      return account.from(place, secret, authorize, { method: 'POST', body })
    }),
    ...ended.map((secret) => {
      const body = { session: { svc_id: 'another installation', public_key: key, version: '1.4.0' } }
      return account.from(place, secret, startClientSession, { method: 'POST', body })
    }),
    ...endedOfGateways.map((secret) => {
      const body = { session: { public_key: key, version: '1.4.0' } }
      return account.from(place, secret, startGatewaySession, { method: 'POST', body })
    }),
  ])
  for (const { status } of answers) {
    agree('a token that has ended', status, 401)
    account.note('ended token')
  }
}
