import { compareHeartbeat } from '../compare/compare-heartbeat.ts'
import type { Client, Gateway } from '../models/account-model.ts'
import { agree } from '../world/agree.ts'
import type { SimulatedAccount } from '../world/simulated-account.ts'
import type { Link } from '../world/simulated-channel.ts'
import { clientHeartbeat } from './client-sessions.ts'
import { leaseMicros } from './lease-end.ts'

/** Number of heartbeats after a nudge: usually one, sometimes two, and none if the device ignores the nudge. */
const heartbeatsAfter = (account: SimulatedAccount): number =>
  account.random.weighted<number>([
    [12, 1],
    [2, 2],
    [4, 0],
  ])

/** Makes devices connect, lose connections, and react to nudges once, twice, late or never. */
export async function useChannel(account: SimulatedAccount): Promise<void> {
  const { channel, model, random } = account
  await channel.reportEnds()
  for (const link of [...channel.links.values()]) {
    const isOver = sessionOf(account, link.device)?.id !== link.session
    if (isOver || random.chance(0.1)) await lose(account, link)
  }
  for (const gateway of random.sample(model.gateways.values(), 2)) await useGateway(account, gateway)
  const online = [...model.clients.values()].filter(({ session }) => session !== null)
  const connected = online.filter(({ id }) => channel.links.has(id))
  for (const client of new Set([...random.sample(online, 1), ...random.sample(connected, 1)]))
    await useClient(account, client)
  await channel.reportEnds()
}

const sessionOf = ({ model }: SimulatedAccount, device: string) =>
  (model.gateways.get(device) ?? model.clients.get(device))?.session

async function lose(account: SimulatedAccount, link: Link): Promise<void> {
  const isReported = account.random.chance(0.6)
  await account.channel.lose(link, isReported)
  const session = account.model.clients.get(link.device)?.session
  if (isReported && session?.connection === link.id) session.connection = null
}

async function useGateway(account: SimulatedAccount, gateway: Gateway): Promise<void> {
  const { channel, random } = account
  const link = channel.links.get(gateway.id)
  if (link) await heed(account, link, () => compareHeartbeat(account, gateway, false))
  if (gateway.session && random.chance(link ? 0.05 : 0.7)) {
    await channel.connect(gateway, gateway.session.secret)
    account.note(link ? 'connection replaced' : 'connection')
    // Requests the changes from before the connection, because no nudge reports them.
    await compareHeartbeat(account, gateway, false)
  }
}

async function useClient(account: SimulatedAccount, client: Client): Promise<void> {
  const { channel, clock, random } = account
  const link = channel.links.get(client.id)
  if (link) await heed(account, link, () => clientHeartbeat(account, client))
  // Stays below the limit of ten messages in ten seconds, above which the service closes the connection (C4).
  const isPatient = link && link.keepalives.filter((at) => at > clock.now - 10_000_000).length < 9
  if (isPatient && random.chance(0.5)) await sendKeepalive(account, client, link)
  if (client.session && random.chance(link ? 0.05 : 0.7)) {
    await connect(account, client)
    account.note(link ? 'connection of a client replaced' : 'connection of a client')
    await clientHeartbeat(account, client)
  }
}

async function heed(account: SimulatedAccount, link: Link, ask: () => Promise<void>): Promise<void> {
  if (link.waiting === 0) return
  link.waiting = 0
  for (let left = heartbeatsAfter(account); left > 0; left--) await ask()
}

/** Opens a live connection for the client. The handshake renews the session as a heartbeat does (C2.4). */
async function connect(account: SimulatedAccount, client: Client): Promise<void> {
  const { channel, model, clock } = account
  const { session } = client
  const token = session && model.tokens.get(session.token)
  if (!session || !token) throw new Error('The client is offline.')
  session.leaseEnd = Math.min(clock.now + leaseMicros(true), token.expiresAt)
  session.connection = (await channel.connect(client, token.secret, token)).id
  client.seen = client.place
  model.now = clock.now
  model.reevaluate(client, token)
}

/** Sends a keepalive, which renews the lease but does not reevaluate the client's authorizations. */
async function sendKeepalive(account: SimulatedAccount, { session }: Client, link: Link): Promise<void> {
  const { channel, clock, model } = account
  const token = session && model.tokens.get(session.token)
  if (!session || !token) throw new Error('The client is offline.')
  session.leaseEnd = Math.min(clock.now + leaseMicros(true), token.expiresAt)
  await channel.keepalive(link, clock.now)
  agree('whether a connection outlives its keepalive', link.open, true)
  account.note('keepalive')
}
