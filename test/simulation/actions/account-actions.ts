import { handler as renewClientSession } from '#functions/api/client-sessions/renew-client-session.ts'
import { handler as renewGatewaySession } from '#functions/api/gateway-sessions/renew-gateway-session.ts'
import { handler as listGroups } from '#functions/api/groups/list-groups.ts'
import { agree } from '../world/agree.ts'
import { places } from '../world/places.ts'
import type { SimulatedAccount } from '../world/simulated-account.ts'
import type { Touched } from '../world/touched.ts'

export async function switchInternetResource(account: SimulatedAccount): Promise<Touched> {
  const on = !account.model.internetResource
  await account.updateAccount({ features: { internet_resource: on } })
  account.model.internetResource = on
  return {}
}

/**
 * Disables the account and enables it again. The service must refuse all credentials in between, and enabling must not restore any access
 * (A30, P1.7).
 */
export async function disableForAWhile(account: SimulatedAccount): Promise<Touched> {
  const { model, random } = account
  const online = [...model.gateways.values()].find(({ session }) => session !== null)?.session
  const connected = [...model.clients.values()].find(({ session }) => session !== null)?.session
  const secret = connected && model.tokens.get(connected.token)?.secret
  await account.updateAccount({ is_disabled: true })
  model.disable()
  const place = random.pick(places)
  const answers = await Promise.all([
    account.ask(listGroups, {}),
    ...(online
      ? [account.from(place, online.secret, renewGatewaySession, { method: 'PUT', params: { id: online.id } })]
      : []),
    ...(connected && secret
      ? [account.from(place, secret, renewClientSession, { method: 'PUT', params: { id: connected.id } })]
      : []),
  ])
  for (const { status } of answers) agree('a credential of a disabled account', status, 401)
  await account.updateAccount({ is_disabled: false })
  account.note('account disabled')
  return {}
}
