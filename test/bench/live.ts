import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { publicKey } from '#test/support/public-key.ts'
import { openAccount } from '#test/support/reporters.ts'
import { startService } from '#test/support/service.ts'
import { Client } from '../../docs/examples/client.ts'
import { Gateway } from '../../docs/examples/gateway.ts'

type Percentiles = { p50: number; p99: number; count: number }

export type LiveResult = {
  grantsPerSecond: number
  grants: Percentiles
  revocations: Percentiles
  crowd: { told: number; spreadMs: number }
}

const clients = 10
const resourcesEach = 50
const revocations = 20
const crowdSize = 150

function percentilesOf(times: number[]): Percentiles {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
  return { p50: at(0.5), p99: at(0.99), count: sorted.length }
}

/** When each id came up. */
class Seen {
  readonly #at = new Map<string, number>()
  note(ids: string[]): void {
    for (const id of ids) if (!this.#at.has(id)) this.#at.set(id, performance.now())
  }
  async when(id: string): Promise<number> {
    const end = performance.now() + 60_000
    while (!this.#at.has(id)) {
      if (performance.now() > end) throw new Error(`A gateway was not told of ${id}.`)
      await sleep(5)
    }
    return this.#at.get(id) as number
  }
}

/** How soon devices know, on a service of its own, with the examples of `docs/examples` as devices (C6). */
export async function liveTest(grantsPerSecond = 50): Promise<LiveResult> {
  const service = await startService()
  const stopping: (() => Promise<void>)[] = []
  try {
    const { call } = await openAccount(service)
    // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
    const made = async (path: string, body: unknown): Promise<any> => {
      const reply = await call('POST', path, body)
      if (reply.status !== 201) throw new Error(`POST ${path} answered ${JSON.stringify(reply.body)}`)
      return reply.body.data
    }
    const site = await made('/sites', { site: { name: 'Berlin' } })
    const group = await made('/groups', { group: { name: 'Engineering' } })
    const grant = async (i: number) => {
      const address = `wiki-${i}.example.com`
      const resource = await made('/resources', {
        resource: { name: `Wiki ${i}`, type: 'dns', address, site_id: site.id },
      })
      return { resource, policy: await made('/policies', { policy: { group_id: group.id, resource_id: resource.id } }) }
    }
    const granted = []
    for (let i = 0; i < resourcesEach; i++) granted.push(await grant(i))

    const [added, removed] = [new Seen(), new Seen()]
    const { token } = await made(`/sites/${site.id}/gateways`, { gateway: {} })
    const gateway = new Gateway(service.baseUrl, token, publicKey(), (change) => {
      added.note(change.added.map(({ id }) => id))
      removed.note(change.removed)
    })
    void gateway.run()
    stopping.push(() => gateway.stop())
    const robot = async (name: string): Promise<string> => {
      const actor = await made('/actors', { actor: { name, type: 'service_account' } })
      await call('PATCH', `/groups/${group.id}/memberships`, { memberships: { add: [actor.id] } })
      const client_token = { expires_at: new Date(Date.now() + 86_400_000).toISOString() }
      return (await made(`/actors/${actor.id}/client_tokens`, { client_token })).token
    }
    const heard: number[] = []
    const connect = async (deviceToken: string, changed?: () => void): Promise<Client> => {
      const options = {
        baseUrl: service.baseUrl,
        token: deviceToken,
        installation: randomUUID(),
        publicKey: publicKey(),
      }
      const client = new Client(options, changed)
      await client.start()
      void client.run()
      stopping.push(() => client.stop())
      return client
    }
    const devices = []
    for (let i = 0; i < clients; i++) devices.push(await connect(await robot(`Robot ${i}`)))
    await sleep(2_000)

    const waits: Promise<number>[] = []
    const ways = new Map<string, string[]>()
    const begin = performance.now()
    for (let i = 0; i < clients * resourcesEach; i++) {
      await sleep(Math.max(0, begin + (i * 1_000) / grantsPerSecond - performance.now()))
      const device = devices[i % clients] as Client
      const { resource, policy } = granted[Math.floor(i / clients)] as (typeof granted)[number]
      waits.push(
        device.connect(resource.id).then(async ({ id }) => {
          const answered = performance.now()
          ways.set(policy.id, [...(ways.get(policy.id) ?? []), id])
          return Math.max(0, (await added.when(id)) - answered)
        }),
      )
    }
    const grants = percentilesOf(await Promise.all(waits))
    const reached = (waits.length * 1_000) / (performance.now() - begin)

    const gone: number[] = []
    for (const { policy } of granted.slice(0, revocations)) {
      await call('DELETE', `/policies/${policy.id}`)
      const answered = performance.now()
      for (const id of ways.get(policy.id) ?? []) gone.push(Math.max(0, (await removed.when(id)) - answered))
    }

    const shared = await robot('Crowd')
    for (let i = 0; i < crowdSize; i++) await connect(shared, () => heard.push(performance.now()))
    await sleep(1_000)
    heard.length = 0
    const last = granted.at(-1) as (typeof granted)[number]
    await call('DELETE', `/policies/${last.policy.id}`)
    for (let i = 0; i < 300 && heard.length < crowdSize; i++) await sleep(20)
    const crowd = { told: heard.length, spreadMs: Math.max(...heard) - Math.min(...heard) }
    return { grantsPerSecond: reached, grants, revocations: percentilesOf(gone), crowd }
  } finally {
    await Promise.all(stopping.map((stop) => stop()))
    await service.stop()
  }
}

export function liveText({ grantsPerSecond, grants, revocations, crowd }: LiveResult): string {
  const ms = ({ p50, p99, count }: Percentiles) => `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms (${count})`
  return [
    `a grant was answered, and its gateway holds it after ${ms(grants)}, at ${grantsPerSecond.toFixed(0)} a second`,
    `a policy is deleted, and its authorizations are gone from the gateway after ${ms(revocations)}`,
    `of ${crowdSize} clients ${crowd.told} have asked what they can reach now, spread over ${crowd.spreadMs.toFixed(0)} ms`,
  ]
    .map((line) => `  ${line}\n`)
    .join('')
}
