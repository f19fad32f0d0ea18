import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, type MockInstance, vi } from 'vitest'
import { handler as storeFlowLogs } from '#functions/streams/store-flow-logs.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import type { AccountRow } from '#shared/domain/accounts/account.ts'
import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import type { IngestClaims } from '#shared/logs/flows/ingest-token.ts'
import { interceptTable } from '../table/intercept-table.ts'
import { type Delivery, endOf, FlowModel, isWithin, startOf } from './flow-model.ts'
import { closeRecord, flowRecord, newFlowGrant, openRecord } from './flows.ts'
import { readPages } from './log-pages.ts'

export const minute = 60_000_000
const hour = 60 * minute
/** Start of the histories' time range. */
export const origin = Math.floor(clock.now() / (24 * hour)) * 24 * hour - 10 * 24 * hour

const near = (micros: number) => fc.integer({ min: -1, max: 1 }).map((by) => micros + by)
const lengths = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 5 * minute }) },
  { weight: 3, arbitrary: fc.integer({ min: 5 * minute, max: 3 * hour }) },
  { weight: 1, arbitrary: fc.integer({ min: 3 * hour, max: 400 * hour }) },
  { weight: 2, arbitrary: fc.constantFrom(5, 20, 80, 320).chain((minutes) => near(minutes * minute)) },
  { weight: 1, arbitrary: fc.integer({ min: -hour, max: 0 }) },
)
const lags = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: minute }) },
  fc.integer({ min: 0, max: 30 * minute }),
  fc.integer({ min: 0, max: 20 * hour }),
)
type Kind = 'open' | 'close' | 'other close'
const reportOf = (...kinds: Kind[]) => fc.record({ kind: fc.constantFrom(...kinds), lag: lags })

/** Flows that start within `span` after the origin, with reports that are late, repeated, contradictory or missing. */
export const flowsWithin = (span: number) =>
  fc.record({
    actor: fc.nat({ max: 2 }),
    start: fc.oneof(
      fc.nat({ max: span }),
      // Generates more flows within the first hour, so that some are open while others begin.
      fc.nat({ max: Math.min(hour, span) }),
      fc.nat({ max: span / (5 * minute) }).map((slice) => slice * 5 * minute),
    ),
    length: lengths,
    reports: fc.oneof(
      fc.array(reportOf('open'), { minLength: 1, maxLength: 1 }),
      fc.array(reportOf('open', 'close'), { minLength: 2, maxLength: 2 }),
      fc.array(reportOf('open', 'close', 'other close'), { minLength: 1, maxLength: 4 }),
    ),
  })
type HistoryFlow = ReturnType<typeof flowsWithin> extends fc.Arbitrary<infer F> ? F : never

const search = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  begin: fc.nat(),
  width: fc.oneof(fc.constant(0), fc.nat({ max: 2 * hour }), fc.nat({ max: 100 * hour })),
  limit: fc.integer({ min: 2, max: 9 }),
  filter: fc.constantFrom('none', 'none', 'actor', 'email'),
})
type Search = Omit<typeof search extends fc.Arbitrary<infer S> ? S : never, 'at'>

/** Flows of a day and a half, the batches in which their reports are stored, and searches. */
export const histories = fc.record({
  flows: fc.array(flowsWithin(36 * hour), { minLength: 5, maxLength: 40 }),
  batchSizes: fc.infiniteStream(fc.integer({ min: 1, max: 6 })),
  /** Number of table requests after which the consumer of a batch is killed. Most batches are not interrupted. */
  interruptions: fc.infiniteStream(fc.option(fc.nat({ max: 8 }), { freq: 4 })),
  searches: fc.array(search, { minLength: 4, maxLength: 4 }),
})
type History = typeof histories extends fc.Arbitrary<infer H> ? H : never

/** Search for recent flows, made after each batch. */
const recently: Search = { begin: 0, width: hour, limit: 100, filter: 'none' }

const emails = ['ada@example.com', 'grace@example.com', 'ada@example.com'] as const

/** Creates grants for three actors, of whom two have the same email. */
export const newGrants = (account: string) =>
  Promise.all(emails.map((email) => newFlowGrant(account, { initiator_actor_email: email })))

export const parseReport = (record: unknown): FlowReport => (checkFlowReport(record) as { report: FlowReport }).report

/** Returns the reports of a flow with the given source port in the order of the generator, which is not that of their times. */
export function deliveriesOf({ start, length, reports }: HistoryFlow, port: number, claims: IngestClaims): Delivery[] {
  return reports.map(({ kind, lag }) => {
    const begin = origin + start
    const end = kind === 'open' ? null : begin + length + (kind === 'other close' ? 7 * minute : 0)
    const fields = { inner_src_port: port, inner_dst_port: 443 + (port % 3), flow_start: timestamp(begin) }
    const closing = { flow_end: timestamp(end ?? 0), rx_bytes: kind === 'close' ? port : 2 ** 53 - 1 }
    const record = end === null ? openRecord(fields) : closeRecord({ ...fields, ...closing })
    return { at: Math.max(begin, end ?? begin) + lag, claims, report: parseReport(record) }
  })
}

/** Delivers a batch. If its consumer is killed after the given number of table requests, delivers the batch again. */
export async function deliverBatch(batch: Delivery[], interruption: number | null): Promise<void> {
  const Records = batch.map(({ claims, at, report }) => flowRecord(claims, at, report))
  if (interruption !== null) {
    let left = interruption
    const gone = interceptTable(async (command, send) => {
      if (left-- <= 0) throw new Error('interrupted')
      return send(command)
    })
    await storeFlowLogs({ Records })
    gone.mockRestore()
  }
  expect(await storeFlowLogs({ Records })).toEqual({ batchItemFailures: [] })
}

type World = {
  account: AccountRow
  model: FlowModel
  now: MockInstance<typeof clock.now>
  /** Makes the searches of the history, and compares each page with the model. */
  searchAll(): Promise<void>
}

type Hooks = {
  /** Called ahead of a batch with its time. */
  before?(world: World, at: number): Promise<void>
  /** Called with the ids of a batch's flows. */
  after?(world: World, ids: string[]): Promise<void>
}

/** Stores the reports of a history in batches. After each, searches for recent flows, and makes the searches of the history that are due. */
export async function replayHistory(
  { flows, batchSizes, interruptions, searches }: History,
  { before, after }: Hooks = {},
): Promise<World> {
  const account = { id: randomUUID(), inserted_at: timestamp(origin - 24 * hour) } as AccountRow
  const grants = await newGrants(account.id)
  const actors = grants.map(({ attribution }) => attribution.initiator_actor_id)
  const deliveries = flows
    .flatMap((flow, i) => deliveriesOf(flow, i, (grants[flow.actor] as (typeof grants)[number]).claims()))
    .sort((a, b) => a.at - b.at)
  const model = new FlowModel()
  const now = vi.spyOn(clock, 'now').mockReturnValue(origin)

  // Returns the start or end of a stored flow, or the microsecond before or after. An open flow is treated as ending now.
  const instantOf = (seed: number) => {
    const instants = model.flows.flatMap((flow) => [startOf(flow), endOf(flow) ?? clock.now()])
    return (instants[seed % instants.length] as number) + ((seed % 3) - 1)
  }
  const ask = async ({ begin: seed, width, limit, filter }: Search, begin = instantOf(seed)) => {
    const end = begin + width
    const wanted = seed % 3
    const isWanted = (actor: number) => {
      if (filter === 'actor') return actor === wanted
      return filter === 'none' || emails[actor] === emails[wanted]
    }
    const expected = model.flows
      .filter((one) => isWithin(one, begin, end) && isWanted(actors.indexOf(one.claims.initiator_actor_id)))
      .map(({ id }) => id)
      .sort()
      .reverse()
    const { forward, backward } = await readPages(account, {
      type: 'flow',
      begin: timestamp(begin),
      end: timestamp(end),
      limit: String(limit),
      total_limit: '1000',
      ...(filter === 'actor' && { actor_id: actors[wanted] }),
      ...(filter === 'email' && { actor_email: emails[wanted] }),
    })
    expect(forward.flatMap(({ ids }) => ids)).toEqual(expected)
    expect(backward.map(({ ids }) => ids)).toEqual(forward.slice(0, -1).map(({ ids }) => ids))
    for (const { total } of [...forward, ...backward]) expect(total).toBe(expected.length)
  }
  const searchAll = async () => {
    for (const one of searches) await ask(one)
  }

  const world = { account, model, now, searchAll }
  for (let at = 0; at < deliveries.length; ) {
    const batch = deliveries.slice(at, at + (batchSizes.next().value as number))
    const time = batch.at(-1)?.at as number
    await before?.(world, time)
    now.mockReturnValue(time)
    await deliverBatch(batch, interruptions.next().value as number | null)
    const ids = model.add(time, batch)
    await after?.(world, ids)
    const progress = at / deliveries.length
    at += batch.length
    await ask(recently, clock.now() - (at % 12) * minute)
    for (const one of searches) if (one.at >= progress && one.at < at / deliveries.length) await ask(one)
  }
  await searchAll()
  return world
}
