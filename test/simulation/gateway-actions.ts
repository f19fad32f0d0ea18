import { handler as deleteGatewayToken } from '#functions/api/gateway-tokens/delete-gateway-token.ts'
import { handler as deleteGateway } from '#functions/api/gateways/delete-gateway.ts'
import type { Gateway } from './account-model.ts'
import { connectGateway, createGateway, disconnectGateway } from './device-actions.ts'
import { sizes } from './populate.ts'
import type { SimulatedAccount } from './simulated-account.ts'
import type { Touched } from './touched.ts'

async function removeGateway(account: SimulatedAccount, { id, site }: Gateway): Promise<void> {
  await account.administer(deleteGateway, { method: 'DELETE', params: { site_id: site, id } })
  account.model.deleteGateway(id)
}

async function removeGatewayToken(account: SimulatedAccount, gateway: Gateway): Promise<void> {
  if (!gateway.session) return
  const params = { site_id: gateway.site, id: gateway.session.token }
  await account.administer(deleteGatewayToken, { method: 'DELETE', params })
  gateway.session = null
  gateway.secret = null
}

/** Anything that happens to a gateway (A21, A22, P2). */
export async function useGateways(account: SimulatedAccount): Promise<Touched> {
  const { model, random } = account
  if (model.gateways.size < sizes.gateways) {
    await connectGateway(account, await createGateway(account, account.someSite()))
    return {}
  }
  const gateway = random.pick([...model.gateways.values()])
  await random.weighted<() => Promise<unknown>>([
    [3, () => connectGateway(account, gateway)],
    [2, () => disconnectGateway(account, gateway)],
    [1, () => removeGatewayToken(account, gateway)],
    [1, () => removeGateway(account, gateway)],
  ])()
  return model.gateways.has(gateway.id) ? { gateways: [gateway.id] } : {}
}
