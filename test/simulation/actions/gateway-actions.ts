import { handler as deleteGateway } from '#functions/api/gateways/delete-gateway.ts'
import type { Gateway } from '../models/account-model.ts'
import type { SimulatedAccount } from '../world/simulated-account.ts'
import type { Touched } from '../world/touched.ts'
import { connectGateway, createGateway, disconnectGateway, joinSite } from './gateway-sessions.ts'
import { createSecondToken, deleteSiteTokens, deleteToken, rotateToken } from './gateway-token-actions.ts'
import { sizes } from './populate.ts'

async function remove(account: SimulatedAccount, { id, site }: Gateway): Promise<void> {
  await account.administer(deleteGateway, { method: 'DELETE', params: { site_id: site, id } })
  account.model.deleteGateway(id)
}

/** Makes a random change to a gateway, by the gateway itself or by an administrator (A21, A22, P2). */
export async function useGateways(account: SimulatedAccount): Promise<Touched> {
  const { model, random } = account
  if (model.gateways.size < sizes.gateways) {
    const site = account.someSite()
    if (random.chance(0.5)) await joinSite(account, site)
    else await connectGateway(account, await createGateway(account, site))
    return {}
  }
  const gateway = random.pick([...model.gateways.values()])
  await random.weighted<() => Promise<unknown>>([
    [6, () => connectGateway(account, gateway)],
    [4, () => disconnectGateway(account, gateway)],
    [
      4,
      async () => {
        await rotateToken(account, gateway)
        // Connects with any of the gateway's valid tokens, because a token that was already used can still be valid after its rotation.
        if (random.chance(0.6)) await connectGateway(account, gateway)
      },
    ],
    [1, () => createSecondToken(account, gateway)],
    [3, () => deleteToken(account, gateway)],
    [1, () => deleteSiteTokens(account, gateway.site)],
    [2, () => remove(account, gateway)],
  ])()
  return model.gateways.has(gateway.id) ? { gateways: [gateway.id] } : {}
}
