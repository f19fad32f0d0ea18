import type { Gateway } from './account-model.ts'
import { compareHeartbeat } from './compare-heartbeat.ts'
import type { SimulatedAccount } from './simulated-account.ts'
import type { Link } from './simulated-channel.ts'

const heartbeatsAfter = (account: SimulatedAccount): number =>
  account.random.weighted<number>([
    [12, 1],
    [2, 2],
    [4, 0],
  ])

/** Lets gateways connect, lose their connections, and do what they are told: at once, late, twice or never. */
export async function useChannel(account: SimulatedAccount): Promise<void> {
  const { channel, model, random } = account
  await channel.tellOfEnds()
  for (const link of [...channel.links.values()]) {
    const isOver = model.gateways.get(link.gateway)?.session?.id !== link.session
    if (isOver || random.chance(0.1)) await channel.lose(link, random.chance(0.6))
  }
  for (const gateway of random.sample(model.gateways.values(), 2)) {
    const link = channel.links.get(gateway.id)
    if (link) await heed(account, gateway, link)
    if (gateway.session && random.chance(link ? 0.05 : 0.7)) {
      await channel.connect(gateway)
      account.note(link ? 'connection replaced' : 'connection')
      // What happened before, nobody tells.
      await compareHeartbeat(account, gateway, false)
    }
  }
  await channel.tellOfEnds()
}

async function heed(account: SimulatedAccount, gateway: Gateway, link: Link): Promise<void> {
  if (link.waiting === 0) return
  link.waiting = 0
  for (let left = heartbeatsAfter(account); left > 0; left--) await compareHeartbeat(account, gateway, false)
}
