import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../../docs/examples/client.ts'
import { markdownTable } from '../measure/markdown-table.ts'
import { type Percentiles, percentilesOf } from '../measure/percentiles.ts'
import { processTimes, usedBetween } from '../measure/process-times.ts'
import { verdict } from '../measure/verdict.ts'
import type { Receipt } from './gateway-watch.ts'
import { type LiveWorld, openLiveWorld } from './live-world.ts'

const clients = 25
const warmUp = { rate: 5, seconds: 3 }
const seconds = 10
const revocations = 40
const crowdSize = 150
const crowdTokens = 15

/** Maximum number of unanswered requests. Above this number, the machine cannot sustain the rate, and the measurement stops. */
const maxWaiting = 3 * clients

/** Timeout in milliseconds. Longer than the interval of regular heartbeats, which deliver each change even without a nudge. */
const longestMs = 35_000

/** A completed change. `receipt` is null if the gateway did not receive the change. */
type Change = { requestedAt: number; answeredAt: number; receipt: Receipt | null }

const stages = {
  'response → received': ({ answeredAt }: Change, { receivedAt }: Receipt) => Math.max(0, receivedAt - answeredAt),
  'response → nudge': ({ answeredAt }: Change, { nudgedAt }: Receipt) =>
    nudgedAt === null ? null : Math.max(0, nudgedAt - answeredAt),
  'nudge → heartbeat': (_change: Change, { nudgedAt, sentAt }: Receipt) =>
    nudgedAt === null ? null : sentAt - nudgedAt,
  'heartbeat → received': (_change: Change, { sentAt, receivedAt }: Receipt) => receivedAt - sentAt,
}

type Row = { name: string; changes: Change[]; notes: string[] }

const responseTimes = (changes: Change[]): Percentiles =>
  percentilesOf(changes.map((one) => one.answeredAt - one.requestedAt))

const receiveTimes = (changes: Change[]): Percentiles =>
  percentilesOf(changes.flatMap((one) => (one.receipt ? [stages['response → received'](one, one.receipt)] : [])))

const ms = (value: number): string => (Number.isNaN(value) ? '-' : value.toFixed(0))
const format = ({ p50, p90, p99, max }: Percentiles): string => [p50, p90, p99, max].map(ms).join(', ')

/** Formats the p50, p90, p99 and maximum of each stage, in milliseconds. */
function rowText({ name, changes, notes }: Row): string {
  const received = changes.filter((one): one is Change & { receipt: Receipt } => one.receipt !== null)
  const nudged = received.filter((one) => one.receipt.nudgedAt !== null).length
  const rows = Object.entries(stages).map(([stage, between]) => {
    const times = received.flatMap((one) => between(one, one.receipt) ?? [])
    return [stage, String(times.length), format(percentilesOf(times))]
  })
  const all = [['request → response', String(changes.length), format(responseTimes(changes))], ...rows]
  const counted = `${changes.length} in all, ${nudged} by a nudge, ${received.length - nudged} by a regular heartbeat, ${changes.length - received.length} never`
  const ratio = `receiving a change takes ${(receiveTimes(changes).p50 / responseTimes(changes).p50).toFixed(2)} times as long as the response (p50)`
  return `${name}: ${[counted, ratio, ...notes].join('; ')}\n${markdownTable(['ms', 'of', 'p50, p90, p99, max'], all)}`
}

/** Requests authorizations at a fixed rate, without waiting for earlier responses. */
async function measureGrants(world: LiveWorld, devices: Client[], rate: number, forSeconds: number) {
  const count = Math.round(rate * forSeconds)
  const grants = await world.addGrants(Math.ceil(count / devices.length))
  const [before, since] = [await processTimes(world.pid), new Date()]
  const authorizations = new Map<string, string[]>()
  const refused: string[] = []
  const waiting: Promise<Change | null>[] = []
  let unanswered = 0
  const begin = performance.now()
  for (let i = 0; i < count && unanswered <= maxWaiting; i++) {
    await sleep(Math.max(0, begin + (i * 1_000) / rate - performance.now()))
    const { resource, policy } = grants[Math.floor(i / devices.length)] as (typeof grants)[number]
    const requestedAt = performance.now()
    unanswered++
    const pending = (devices[i % devices.length] as Client).connect(resource.id).then(
      async ({ id }) => {
        const answeredAt = performance.now()
        unanswered--
        authorizations.set(policy.id, [...(authorizations.get(policy.id) ?? []), id])
        return { requestedAt, answeredAt, receipt: await world.watch.until('added', id, longestMs) }
      },
      (error: Error) => {
        unanswered--
        refused.push(error.message)
        return null
      },
    )
    waiting.push(pending)
  }
  const requests = waiting.length
  const changes = (await Promise.all(waiting)).filter((one) => one !== null)
  const last = Math.max(...changes.map(({ answeredAt }) => answeredAt))
  const took = Math.max(requests / rate, (last - begin) / 1_000)
  const used = usedBetween(before, await processTimes(world.pid))
  const cpu = [...used].map(([program, time]) => `${program} ${(time / 10 / took).toFixed(0)} %`)
  const notes = [
    `${(changes.length / took).toFixed(1)} a second answered`,
    ...(requests < count ? [`stopped after ${requests} of ${count}`] : []),
    ...(cpu.length > 0 ? [`of a core: ${cpu.join(', ')}`] : []),
    ...(refused.length > 0 ? [`${refused.length} refused, as ${refused[0]}`] : []),
    await failures(world, since),
  ]
  return { keepsUp: requests === count && changes.length / took >= 0.95 * rate, changes, authorizations, notes }
}

async function failures(world: LiveWorld, since: Date): Promise<string> {
  const lines = await world.lines(since)
  const sent = lines.reduce((sum, { messages_sent = 0 }) => sum + messages_sent, 0)
  return `${sent} messages sent, ${lines.filter(({ event }) => event === 'device_not_notified').length} not`
}

/** Deletes policies one at a time. Waits until the gateway has removed a policy's authorizations before deleting the next policy. */
async function measureRevocations(world: LiveWorld, authorizations: Map<string, string[]>): Promise<Row> {
  const changes: Change[] = []
  const since = new Date()
  for (const [policy, ids] of [...authorizations].slice(0, revocations)) {
    const requestedAt = performance.now()
    await world.call('DELETE', `/policies/${policy}`)
    const answeredAt = performance.now()
    const receipts = await Promise.all(ids.map((id) => world.watch.until('removed', id, longestMs)))
    changes.push(...receipts.map((receipt): Change => ({ requestedAt, answeredAt, receipt })))
  }
  const lags = (await world.lines(since))
    .filter(({ event, operation }) => event === 'run' && operation === 'follow-up')
    .map(({ lag_ms }) => Number(lag_ms))
  const stream = `from the commit until the follow-up, including nudges of clients: ${format(percentilesOf(lags))} ms`
  return { name: 'policies deleted', changes, notes: [stream, await failures(world, since)] }
}

/**
 * Revokes a resource from many clients. At most ten clients share a token, because the rate limit allows a burst of 20 requests per token.
 */
async function measureCrowd(world: LiveWorld): Promise<string> {
  const received = new Map<number, number>()
  const tokens: string[] = []
  for (let i = 0; i < crowdTokens; i++) tokens.push(await world.addRobot())
  const [grant] = await world.addGrants(1)
  for (let i = 0; i < crowdSize; i++) {
    await world.connect(tokens[i % crowdTokens] as string, () => received.set(i, performance.now()))
  }
  // Waits for the heartbeat that each client sends after connecting.
  await sleep(2_000)
  received.clear()
  await world.call('DELETE', `/policies/${grant?.policy.id}`)
  for (const end = performance.now() + longestMs; received.size < crowdSize && performance.now() < end; )
    await sleep(20)
  const times = [...received.values()]
  const spread = (Math.max(...times) - Math.min(...times)) / 1_000
  return `of ${crowdSize} clients of the examples ${received.size} have requested their resources, spread over ${spread.toFixed(1)} s\n`
}

/**
 * Measures the delay until devices receive changes (C6), with a separate service and the devices from `docs/examples`. Prints each result
 * at once, so that a later failure does not lose it.
 */
export async function liveFigures(rates: number[], print: (text: string) => unknown): Promise<void> {
  const world = await openLiveWorld()
  try {
    const devices: Client[] = []
    for (let i = 0; i < clients; i++) devices.push(await world.connect(await world.addRobot()))
    // Warms up the service, because functions are loaded at the first call.
    const { authorizations } = await measureGrants(world, devices, warmUp.rate, warmUp.seconds)
    for (const rate of rates) {
      const { changes, notes, keepsUp, authorizations: more } = await measureGrants(world, devices, rate, seconds)
      for (const [policy, ids] of more) authorizations.set(policy, ids)
      print(rowText({ name: `${rate} grants a second`, changes, notes }))
      const { p50, p99 } = receiveTimes(changes)
      const isMet = p50 <= 250 && p99 <= 1_000
      if (keepsUp) print(verdict('C6', `p50 ≤ 250 ms, p99 ≤ 1 s at ${rate} grants a second`, isMet))
      else print(`  This machine does not sustain ${rate} grants a second: requests wait for its CPU.\n`)
      if (!keepsUp) break
    }
    const row = await measureRevocations(world, authorizations)
    print(rowText(row))
    print(verdict('C6', 'a deleted policy is gone from the gateway, p99 ≤ 2 s', receiveTimes(row.changes).p99 <= 2_000))
    print(await measureCrowd(world))
  } finally {
    await world.stop()
  }
}
