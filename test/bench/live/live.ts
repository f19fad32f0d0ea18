import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../../docs/examples/client.ts'
import { markdownTable } from '../measure/markdown-table.ts'
import { type Percentiles, percentilesOf } from '../measure/percentiles.ts'
import { processTimes, usedBetween } from '../measure/process-times.ts'
import { verdict } from '../measure/verdict.ts'
import type { Known } from './gateway-watch.ts'
import { type LiveWorld, openLiveWorld } from './live-world.ts'

const clients = 25
const warmUp = { rate: 5, seconds: 3 }
const seconds = 10
const revocations = 40
const crowdSize = 150
const crowdTokens = 15

/** More requests than this are not left waiting: the machine does not keep up, and what it would be asked now tells nothing more. */
const maxWaiting = 3 * clients

/** By then a heartbeat of the gateway's own has told it whatever a nudge did not. */
const longestMs = 35_000

/** A change that was answered, and how its gateway came to know; null where it did not. */
type Told = { askedAt: number; answeredAt: number; known: Known | null }

const stages = {
  'answered → known': ({ answeredAt }: Told, { knownAt }: Known) => Math.max(0, knownAt - answeredAt),
  'answered → nudge': ({ answeredAt }: Told, { nudgedAt }: Known) =>
    nudgedAt === null ? null : Math.max(0, nudgedAt - answeredAt),
  'nudge → heartbeat': (_told: Told, { nudgedAt, askedAt }: Known) => (nudgedAt === null ? null : askedAt - nudgedAt),
  'heartbeat → known': (_told: Told, { askedAt, knownAt }: Known) => knownAt - askedAt,
}

type Row = { name: string; told: Told[]; notes: string[] }

const answered = (told: Told[]): Percentiles => percentilesOf(told.map((one) => one.answeredAt - one.askedAt))

const known = (told: Told[]): Percentiles =>
  percentilesOf(told.flatMap((one) => (one.known ? [stages['answered → known'](one, one.known)] : [])))

const ms = (value: number): string => (Number.isNaN(value) ? '-' : value.toFixed(0))
const shown = ({ p50, p90, p99, most }: Percentiles): string => [p50, p90, p99, most].map(ms).join(', ')

/** Where the time goes: p50, p90, p99 and the longest of each stretch, in milliseconds. */
function rowText({ name, told, notes }: Row): string {
  const heard = told.filter((one): one is Told & { known: Known } => one.known !== null)
  const nudged = heard.filter((one) => one.known.nudgedAt !== null).length
  const rows = Object.entries(stages).map(([stage, between]) => {
    const times = heard.flatMap((one) => between(one, one.known) ?? [])
    return [stage, String(times.length), shown(percentilesOf(times))]
  })
  const all = [['asked → answered', String(told.length), shown(answered(told))], ...rows]
  const counted = `${told.length} in all, ${nudged} by a nudge, ${heard.length - nudged} by a heartbeat that was due or had more, ${told.length - heard.length} never`
  const ratio = `the news takes ${(known(told).p50 / answered(told).p50).toFixed(2)} times as long as the answer (p50)`
  return `${name}: ${[counted, ratio, ...notes].join('; ')}\n${markdownTable(['ms', 'of', 'p50, p90, p99, most'], all)}`
}

/** Clients that ask for ways at a rate, whatever becomes of those that they asked for before. */
async function grantsAt(world: LiveWorld, devices: Client[], rate: number, forSeconds: number) {
  const count = Math.round(rate * forSeconds)
  const grants = await world.addGrants(Math.ceil(count / devices.length))
  const [before, since] = [await processTimes(world.pid), new Date()]
  const ways = new Map<string, string[]>()
  const refused: string[] = []
  const waiting: Promise<Told | null>[] = []
  let unanswered = 0
  const begin = performance.now()
  for (let i = 0; i < count && unanswered <= maxWaiting; i++) {
    await sleep(Math.max(0, begin + (i * 1_000) / rate - performance.now()))
    const { resource, policy } = grants[Math.floor(i / devices.length)] as (typeof grants)[number]
    const askedAt = performance.now()
    unanswered++
    const asking = (devices[i % devices.length] as Client).connect(resource.id).then(
      async ({ id }) => {
        const answeredAt = performance.now()
        unanswered--
        ways.set(policy.id, [...(ways.get(policy.id) ?? []), id])
        return { askedAt, answeredAt, known: await world.watch.until('added', id, longestMs) }
      },
      (error: Error) => {
        unanswered--
        refused.push(error.message)
        return null
      },
    )
    waiting.push(asking)
  }
  const asked = waiting.length
  const told = (await Promise.all(waiting)).filter((one) => one !== null)
  const last = Math.max(...told.map(({ answeredAt }) => answeredAt))
  const took = Math.max(asked / rate, (last - begin) / 1_000)
  const used = usedBetween(before, await processTimes(world.pid))
  const cpu = [...used].map(([program, time]) => `${program} ${(time / 10 / took).toFixed(0)} %`)
  const notes = [
    `${(told.length / took).toFixed(1)} a second answered`,
    ...(asked < count ? [`stopped after ${asked} of ${count}`] : []),
    ...(cpu.length > 0 ? [`of a core: ${cpu.join(', ')}`] : []),
    ...(refused.length > 0 ? [`${refused.length} refused, as ${refused[0]}`] : []),
    await failures(world, since),
  ]
  return { keepsUp: asked === count && told.length / took >= 0.95 * rate, told, ways, notes }
}

/** Nudges that the service says it could not send. */
async function failures(world: LiveWorld, since: Date): Promise<string> {
  const lines = await world.lines(since)
  const sent = lines.reduce((sum, { messages_sent = 0 }) => sum + messages_sent, 0)
  return `${sent} messages sent, ${lines.filter(({ event }) => event === 'device_not_notified').length} not`
}

/** Policies that are deleted, one after the other, each when the one before is gone from the gateway. */
async function revoke(world: LiveWorld, ways: Map<string, string[]>): Promise<Row> {
  const told: Told[] = []
  const since = new Date()
  for (const [policy, ids] of [...ways].slice(0, revocations)) {
    const askedAt = performance.now()
    await world.call('DELETE', `/policies/${policy}`)
    const answeredAt = performance.now()
    const gone = await Promise.all(ids.map((id) => world.watch.until('removed', id, longestMs)))
    told.push(...gone.map((one): Told => ({ askedAt, answeredAt, known: one })))
  }
  const lags = (await world.lines(since))
    .filter(({ event, operation }) => event === 'run' && operation === 'follow-up')
    .map(({ lag_ms }) => Number(lag_ms))
  const stream = `from the commit until it is followed up and clients are told, too: ${shown(percentilesOf(lags))} ms`
  return { name: 'policies deleted', told, notes: [stream, await failures(world, since)] }
}

/** Clients that all lose a resource; up to ten share a token, which may ask twenty times at once. */
async function crowd(world: LiveWorld): Promise<string> {
  const heard = new Map<number, number>()
  const tokens: string[] = []
  for (let i = 0; i < crowdTokens; i++) tokens.push(await world.addRobot())
  const [grant] = await world.addGrants(1)
  for (let i = 0; i < crowdSize; i++) {
    await world.connect(tokens[i % crowdTokens] as string, () => heard.set(i, performance.now()))
  }
  // Who has opened its connection has asked once more.
  await sleep(2_000)
  heard.clear()
  await world.call('DELETE', `/policies/${grant?.policy.id}`)
  for (const end = performance.now() + longestMs; heard.size < crowdSize && performance.now() < end; ) await sleep(20)
  const times = [...heard.values()]
  const spread = (Math.max(...times) - Math.min(...times)) / 1_000
  return `of ${crowdSize} clients of the examples ${heard.size} have asked what they can reach now, spread over ${spread.toFixed(1)} s\n`
}

/**
 * How soon devices know, on a service of its own, with the examples of `docs/examples` as devices (C6). Prints each part when it has
 * it, so that what comes after may fail.
 */
export async function liveFigures(rates: number[], print: (text: string) => unknown): Promise<void> {
  const world = await openLiveWorld()
  try {
    const devices: Client[] = []
    for (let i = 0; i < clients; i++) devices.push(await world.connect(await world.addRobot()))
    // Functions are loaded at their first call.
    const { ways } = await grantsAt(world, devices, warmUp.rate, warmUp.seconds)
    for (const rate of rates) {
      const { told, notes, keepsUp, ways: made } = await grantsAt(world, devices, rate, seconds)
      for (const [policy, ids] of made) ways.set(policy, ids)
      print(rowText({ name: `${rate} grants a second`, told, notes }))
      const { p50, p99 } = known(told)
      const isMet = p50 <= 250 && p99 <= 1_000
      if (keepsUp) print(verdict(`p50 ≤ 250 ms, p99 ≤ 1 s at ${rate} grants a second`, isMet))
      else print(`  This machine does not answer ${rate} grants a second: what waits, waits for a processor.\n`)
      if (!keepsUp) break
    }
    const row = await revoke(world, ways)
    print(rowText(row))
    print(verdict('a deleted policy is gone from the gateway, p99 ≤ 2 s', known(row.told).p99 <= 2_000))
    print(await crowd(world))
  } finally {
    await world.stop()
  }
}
