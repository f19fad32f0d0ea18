import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { handler as storeFlowLogs } from '#functions/streams/store-flow-logs.ts'
import { clock, hourStart, timestamp } from '#shared/core/clock.ts'
import type { AccountRow } from '#shared/domain/accounts/account.ts'
import { readArchiveState } from '#shared/logs/blocks/archive-view.ts'
import { openFlows, openVersions } from '#shared/logs/blocks/open-set.ts'
import { idFrom, idUntil, lastLogMicros } from '#shared/logs/entries/log-id.ts'
import { rowEntry } from '#shared/logs/files/entry-rows.ts'
import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import { flowLogId } from '#shared/logs/flows/stored-flow.ts'
import { getLog } from '#shared/logs/query-logs.ts'
import { flushFlows } from '#test/support/logs/archive.ts'
import { closeRecord, flowRecord, newFlowGrant, openRecord } from '#test/support/logs/flows.ts'
import { readPages } from '#test/support/logs/log-pages.ts'
import { readArchiveOf } from '#test/support/logs/read-archive.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'

const minute = 60_000_000
const hour = 60 * minute
/** Start of the tests' time range. Flows begin within the next day and a half. */
const origin = Math.floor(clock.now() / (24 * hour)) * 24 * hour - 10 * 24 * hour
const span = 36 * hour

const index = (micros: number) => fc.integer({ min: -1, max: 1 }).map((by) => micros + by)
const lengths = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 5 * minute }) },
  { weight: 3, arbitrary: fc.integer({ min: 5 * minute, max: 3 * hour }) },
  { weight: 1, arbitrary: fc.integer({ min: 3 * hour, max: 400 * hour }) },
  { weight: 2, arbitrary: fc.constantFrom(5, 20, 80, 320).chain((minutes) => index(minutes * minute)) },
  { weight: 1, arbitrary: fc.integer({ min: -hour, max: 0 }) },
)
const lags = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: minute }) },
  fc.integer({ min: 0, max: 30 * minute }),
  fc.integer({ min: 0, max: 20 * hour }),
)
type Kind = 'open' | 'close' | 'other close'
const report = (...kinds: Kind[]) => fc.record({ kind: fc.constantFrom(...kinds), lag: lags })
const flow = fc.record({
  actor: fc.nat({ max: 2 }),
  start: fc.oneof(
    fc.nat({ max: span }),
    // Generates more flows within the first hour, so that some are open while others begin.
    fc.nat({ max: hour }),
    fc.nat({ max: span / (5 * minute) }).map((slice) => slice * 5 * minute),
  ),
  length: lengths,
  reports: fc.oneof(
    fc.array(report('open'), { minLength: 1, maxLength: 1 }),
    fc.array(report('open', 'close'), { minLength: 2, maxLength: 2 }),
    fc.array(report('open', 'close', 'other close'), { minLength: 1, maxLength: 4 }),
  ),
})
const search = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  begin: fc.nat(),
  width: fc.oneof(fc.constant(0), fc.nat({ max: 2 * hour }), fc.nat({ max: 100 * hour })),
  limit: fc.integer({ min: 2, max: 9 }),
  filter: fc.constantFrom('none', 'none', 'actor', 'email'),
})
const history = fc.record({
  flows: fc.array(flow, { minLength: 5, maxLength: 40 }),
  batchSizes: fc.infiniteStream(fc.integer({ min: 1, max: 6 })),
  /** Number of table requests after which the consumer of a batch is killed. Most batches are not interrupted. */
  interruptions: fc.infiniteStream(fc.option(fc.nat({ max: 8 }), { freq: 4 })),
  searches: fc.array(search, { minLength: 4, maxLength: 4 }),
})

type Search = { begin: number; width: number; limit: number; filter: string }
/** Search for recent flows, made after each flush. */
const recently: Search = { begin: 0, width: hour, limit: 100, filter: 'none' }

/** Flow of the model. `at` and `closedAt` are the times at which its first report and its first close report were stored. */
type Flow = { id: string; actor: number; start: number; end: number | null; at: number; closedAt: number | null }
type Grant = Awaited<ReturnType<typeof newFlowGrant>>

afterEach(() => {
  vi.restoreAllMocks()
})

const parse = (record: unknown) => (checkFlowReport(record) as { report: FlowReport }).report

/** Delivers a batch. If its consumer is killed after the given number of table requests, delivers the batch again. */
async function deliver(Records: ReturnType<typeof flowRecord>[], interruption: number | null): Promise<void> {
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

/** Returns the ids of the flows in the open set that readers use. */
async function openIds(account: string, watermark: number): Promise<string[]> {
  const ids: string[] = []
  const walk = { range: { first: idFrom('flow', 0), last: idUntil('flow', lastLogMicros) }, ascending: true }
  for await (const version of openVersions(account, watermark))
    for (const { sk } of openFlows(account, version, walk)) ids.push(sk)
  return ids.sort()
}

const readEntry = async (account: string, id: string) => (await getLog(account, id)).data

/** Expects each flow of the model where the flush puts it, with the entry that the service returned before the flush. */
async function expectArchive(account: string, stored: Map<string, Flow>, before: Map<string, unknown>): Promise<void> {
  const watermark = (await readArchiveState(account))?.watermark ?? 0
  const { rows } = await readArchiveOf(account)
  const flows = [...stored.values()]
  const filed = flows.filter(({ closedAt }) => closedAt !== null && closedAt < watermark)
  expect(rows.flow.map(({ id, hour }) => [id, hour]).sort()).toEqual(
    filed.map(({ id, closedAt }) => [id, hourStart(closedAt ?? 0)]).sort(),
  )
  const open = flows.filter(({ at, closedAt }) => at < watermark && (closedAt === null || closedAt >= watermark))
  expect(await openIds(account, watermark)).toEqual(open.map(({ id }) => id).sort())
  for (const { row, id } of rows.flow) {
    expect(rowEntry('flow', row)).toEqual(before.get(id))
    expect(row.stored_at).toBe(stored.get(id)?.closedAt)
  }
  for (const { id } of flows) expect(await readEntry(account, id)).toEqual(before.get(id))
}

it('keeps every flow in exactly one place, for any reports and any flushes', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ flows, batchSizes, interruptions, searches }) => {
      const account = { id: randomUUID(), inserted_at: timestamp(origin - 24 * hour) } as AccountRow
      const grants = await Promise.all(
        ['ada', 'grace', 'ada'].map((name) =>
          newFlowGrant(account.id, { initiator_actor_email: `${name}@example.com` }),
        ),
      )
      const deliveries = flows
        .flatMap(({ actor, start, length, reports }, i) =>
          reports.map(({ kind, lag }) => {
            const begin = origin + start
            const end = kind === 'open' ? null : begin + length + (kind === 'other close' ? 7 * minute : 0)
            const fields = { inner_src_port: i, flow_start: timestamp(begin) }
            const claims = (grants[actor] as Grant).claims()
            const parsed = parse(
              end === null ? openRecord(fields) : closeRecord({ ...fields, flow_end: timestamp(end) }),
            )
            return { at: Math.max(begin, end ?? begin) + lag, actor, claims, parsed, end }
          }),
        )
        .sort((a, b) => a.at - b.at)

      const stored = new Map<string, Flow>()
      /** Entries of the flows when their last reports were stored. */
      const before = new Map<string, unknown>()
      const now = vi.spyOn(clock, 'now').mockReturnValue(origin)
      // Returns the start or end of a stored flow, or the microsecond before or after. An open flow is treated as ending now.
      const instantOf = (seed: number) => {
        const instants = [...stored.values()].flatMap(({ start, end }) => [start, end ?? clock.now()])
        return (instants[seed % instants.length] as number) + ((seed % 3) - 1)
      }
      const ask = async ({ begin: seed, width, limit, filter }: Search, begin = instantOf(seed)) => {
        const end = begin + width
        const wanted = seed % 3
        const email = wanted === 1 ? 'grace@example.com' : 'ada@example.com'
        const expected = [...stored.values()]
          .filter((one) => one.start <= end && (one.end === null || one.end > begin || one.start >= begin))
          .filter(({ actor }) => filter !== 'actor' || actor === wanted)
          .filter(({ actor }) => filter !== 'email' || (actor === 1) === (wanted === 1))
          .map(({ id }) => id)
          .sort()
          .reverse()
        const { forward, backward } = await readPages(account, {
          type: 'flow',
          begin: timestamp(begin),
          end: timestamp(end),
          limit: String(limit),
          total_limit: '1000',
          ...(filter === 'actor' && { actor_id: grants[wanted]?.attribution.initiator_actor_id }),
          ...(filter === 'email' && { actor_email: email }),
        })
        expect(forward.flatMap(({ ids }) => ids)).toEqual(expected)
        expect(backward.map(({ ids }) => ids)).toEqual(forward.slice(0, -1).map(({ ids }) => ids))
        for (const { total } of [...forward, ...backward]) expect(total).toBe(expected.length)
      }

      const flush = () => flushFlows(account.id)
      for (let at = 0; at < deliveries.length; ) {
        const batch = deliveries.slice(at, at + (batchSizes.next().value as number))
        // Flushes at least every six days, because blocks and the open set expire after 14 days (R2.5).
        const end = batch.at(-1)?.at as number
        for (let day = clock.now() + 144 * hour; day < end; day += 144 * hour) {
          now.mockReturnValue(day)
          await flush()
        }
        now.mockReturnValue(end)
        const records = batch.map(({ claims, at, parsed }) => flowRecord(claims, at, parsed))
        await deliver(records, interruptions.next().value as number | null)
        for (const { claims, actor, parsed, end } of batch) {
          const id = flowLogId(claims, parsed)
          const at = clock.now()
          const existing = stored.get(id) ?? { id, actor, start: parsed.flow_start, end: null, at, closedAt: null }
          const closedAt = existing.closedAt ?? (end === null ? null : at)
          stored.set(id, { ...existing, end: existing.end ?? end, closedAt })
        }
        for (const { claims, parsed } of batch) {
          const id = flowLogId(claims, parsed)
          before.set(id, await readEntry(account.id, id))
        }
        const progress = at / deliveries.length
        at += batch.length
        await flush()
        await ask(recently, clock.now() - (at % 12) * minute)
        for (const one of searches) {
          if (one.at >= progress && one.at < at / deliveries.length) await ask(one)
        }
      }
      for (const one of searches) await ask(one)
      await expectArchive(account.id, stored, before)
      // Makes the hours of all reports due.
      now.mockReturnValue(clock.now() + 2 * hour)
      await flush()
      await expectArchive(account.id, stored, before)
      for (const one of searches) await ask(one)
    }),
    { numRuns: 8, endOnFailure: true },
  )
})
