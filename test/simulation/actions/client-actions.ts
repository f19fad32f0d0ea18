import { handler as deleteClient } from '#functions/api/clients/delete-client.ts'
import { handler as unverifyClient } from '#functions/api/clients/unverify-client.ts'
import { handler as verifyClient } from '#functions/api/clients/verify-client.ts'
import type { Client } from '../models/account-model.ts'
import { places } from '../world/places.ts'
import type { SimulatedAccount } from '../world/simulated-account.ts'
import type { Touched } from '../world/touched.ts'
import { clientHeartbeat, connectClient, disconnectClient, registerClient } from './client-sessions.ts'
import { sizes } from './populate.ts'

async function verify(account: SimulatedAccount, client: Client): Promise<void> {
  await account.administer(verifyClient, { method: 'PUT', params: { id: client.id } })
  client.verified = true
}

async function unverify(account: SimulatedAccount, client: Client): Promise<void> {
  await account.administer(unverifyClient, { method: 'PUT', params: { id: client.id } })
  client.verified = false
  account.model.endAuthorizations((authorization) => authorization.client === client.id)
}

async function remove(account: SimulatedAccount, client: Client): Promise<void> {
  await account.administer(deleteClient, { method: 'DELETE', params: { id: client.id } })
  account.model.deleteClient(client.id)
}

export function someClient({ model, random }: SimulatedAccount): Client {
  const used = [...model.authorizations.values()].map(({ client }) => model.clients.get(client) as Client)
  const connected = [...model.clients.values()].filter(({ session }) => session !== null)
  const candidates = random.weighted([
    [3, used],
    [3, connected],
    [1, []],
  ])
  return random.pick(candidates.length > 0 ? candidates : [...model.clients.values()])
}

/** Makes a random change to a client, by the client itself or by an administrator (A23, P3). */
export async function useClients(account: SimulatedAccount): Promise<Touched> {
  const { model, random } = account
  if (model.clients.size < sizes.clients && random.chance(0.3)) {
    const actor = random.pick([...model.actors.values()])
    await registerClient(account, actor)
    return { actors: [actor.id] }
  }
  const client = someClient(account)
  await random.weighted<() => Promise<unknown>>([
    [4, () => connectClient(account, client)],
    [5, () => clientHeartbeat(account, client)],
    [
      4,
      async () => {
        client.place = random.pick(places)
        // Leaves some changes of the client's location unreported until the client's next request.
        if (random.chance(0.6)) await clientHeartbeat(account, client)
      },
    ],
    [2, () => disconnectClient(account, client)],
    [3, () => verify(account, client)],
    [3, () => unverify(account, client)],
    [1, () => remove(account, client)],
  ])()
  return { actors: [client.actor] }
}
