import { randomUUID } from 'node:crypto'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { clock, hourMicros, hourStart, timestamp } from '#shared/core/clock.ts'
import type { AccountRow } from '#shared/domain/accounts/account.ts'
import { countLimits } from '#shared/logs/counters/value-counts.ts'
import { filterLimits } from '#shared/logs/query-logs.ts'
import { readHistogram, readTopValues } from '#shared/logs/traffic-answers.ts'
import { flushFlows } from '#test/support/logs/archive.ts'
import { deliverBatch, minute, parseReport } from '#test/support/logs/flow-histories.ts'
import {
  countHours,
  dimensionValue,
  FlowModel,
  isWithin,
  type ModelFlow,
  rankValues,
  startOf,
} from '#test/support/logs/flow-model.ts'
import { closeRecord, newFlowGrant, openRecord } from '#test/support/logs/flows.ts'
import { readPages } from '#test/support/logs/log-pages.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'

const day = 24 * hourMicros
/** Start of the tests' time range, at the end of a day. Flows begin within the next day and a half. */
const origin = Math.floor(clock.now() / day) * day - 10 * day + 20 * hourMicros

const lengths = fc.oneof(
  fc.nat({ max: 20 * minute }),
  fc.nat({ max: 4 * hourMicros }),
  fc.nat({ max: 30 * hourMicros }),
)
const lags = fc.oneof(
  { weight: 4, arbitrary: fc.nat({ max: 30 * minute }) },
  { weight: 2, arbitrary: fc.nat({ max: 30 * hourMicros }) },
  // Reports of devices whose clock is ahead.
  { weight: 1, arbitrary: fc.integer({ min: -3 * hourMicros, max: 0 }) },
)
const report = fc.record({ kind: fc.constantFrom('open', 'close', 'other'), lag: lags, isOther: fc.boolean() })
const flow = fc.record({
  grant: fc.nat({ max: 1 }),
  role: fc.constantFrom('initiator', 'responder'),
  protocol: fc.constantFrom('tcp', 'udp'),
  port: fc.constantFrom(22, 443),
  start: fc.oneof(
    fc.nat({ max: 36 * hourMicros }),
    fc.nat({ max: 6 }).map((hours) => hours * hourMicros),
  ),
  length: lengths,
  bytes: fc.oneof(fc.nat({ max: 9_999 }).map(BigInt), fc.constant(2n ** 63n - 1n)),
  reports: fc.array(report, { minLength: 1, maxLength: 3 }),
})
const filter = fc.constantFrom('actor_id', 'resource_id', 'policy_id', 'device_id', 'protocol', 'port', 'open')
const dimension = fc.constantFrom('actor', 'client', 'gateway', 'resource', 'policy', 'port')
const search = fc.record({
  begin: fc.integer({ min: -2, max: 40 }),
  hours: fc.integer({ min: 1, max: 60 }),
  by: fc.option(dimension, { freq: 2 }),
  role: fc.option(fc.constantFrom('initiator', 'responder'), { freq: 2 }),
  order: fc.constantFrom('flows', 'bytes'),
  filters: fc.uniqueArray(filter, { maxLength: 3 }),
  like: fc.nat(),
  isOpen: fc.boolean(),
  limit: fc.integer({ min: 2, max: 9 }),
  isBounded: fc.boolean(),
})
const history = fc.record({
  flows: fc.array(flow, { minLength: 5, maxLength: 30 }),
  batchSizes: fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
  /** Number of counters after which a flush is interrupted. */
  interruptions: fc.infiniteStream(fc.option(fc.nat({ max: 12 }), { freq: 3 })),
  searches: fc.infiniteStream(search),
  maxValues: fc.constantFrom(1, 2, 1_000),
})
type Search = typeof search extends fc.Arbitrary<infer S> ? S : never

const { values } = countLimits
const limits = { ...filterLimits }
afterEach(() => {
  countLimits.values = values
  Object.assign(filterLimits, limits)
  vi.restoreAllMocks()
})

/** Flushes an account, and interrupts the flush at a write of counters. Null for no flush. */
async function interruptFlush(account: string, interruption: number | null): Promise<void> {
  if (interruption !== null) {
    let left = interruption
    const gone = interceptTable(async (command, send) => {
      if (command instanceof PutCommand && command.input.Item?.kind === 'flow_count' && left-- <= 0)
        throw new Error('interrupted')
      return send(command)
    })
    await flushFlows(account).catch(() => {})
    gone.mockRestore()
  }
}

const matchesFilter = (one: ModelFlow, name: string, like: ModelFlow, isOpen: boolean): boolean => {
  if (name === 'device_id')
    return [dimensionValue(one, 'client'), dimensionValue(one, 'gateway')].includes(dimensionValue(like, 'client'))
  if (name === 'protocol') return one.report.protocol === like.report.protocol
  if (name === 'port') return one.report.inner_dst_port === like.report.inner_dst_port
  if (name === 'open') return (one.closing === null) === isOpen
  const dimension = name.replace('_id', '')
  return dimensionValue(one, dimension) === dimensionValue(like, dimension)
}

const parametersOf = ({ filters, isOpen }: Search, { claims, report }: ModelFlow): Record<string, string> => {
  const values: Record<string, string> = {
    protocol: report.protocol,
    port: String(report.inner_dst_port),
    device_id: claims.initiator_device_id,
    open: String(isOpen),
    actor_id: claims.initiator_actor_id,
    resource_id: claims.resource_id,
    policy_id: claims.policy_id,
  }
  return Object.fromEntries(filters.map((name) => [name, values[name] as string]))
}

it('histogram, top values and filtered pages equal a plain model, for any reports and flushes', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ flows, batchSizes, interruptions, searches, maxValues }) => {
      countLimits.values = maxValues
      const account = { id: randomUUID(), inserted_at: timestamp(origin - day) } as AccountRow
      const grants = await Promise.all(
        Array.from({ length: 2 }, async () => {
          const one = await newFlowGrant(account.id)
          // Reports of one flow can have different authorizations.
          const { initiator_device_id, resource_id } = one.attribution
          return [one, await newFlowGrant(account.id, { initiator_device_id, resource_id })] as const
        }),
      )
      const deliveries = flows
        .flatMap(({ grant, role, protocol, port, start, length, bytes, reports }, i) =>
          reports.map(({ kind, lag, isOther }) => {
            const begin = origin + start
            const end = kind === 'open' ? null : begin + length + (kind === 'other' ? minute : 0)
            const fields = { protocol, inner_src_port: i, inner_dst_port: port, flow_start: timestamp(begin) }
            const claims = grants[grant]?.[isOther ? 1 : 0].claims(role as 'initiator') as ReturnType<
              (typeof grants)[0][0]['claims']
            >
            const rx = kind === 'other' ? 7n : bytes
            const counted = { rx_bytes: rx, tx_bytes: rx / 2n }
            const record =
              end === null ? openRecord(fields) : closeRecord({ ...fields, ...counted, flow_end: timestamp(end) })
            return { at: Math.max(begin, end ?? begin) + lag, claims, report: parseReport(record) }
          }),
        )
        .sort((a, b) => a.at - b.at)

      const model = new FlowModel()
      const now = vi.spyOn(clock, 'now').mockReturnValue(origin)
      const compare = async (one: Search) => {
        const like = model.flows[one.like % model.flows.length] as ModelFlow
        const parameters = parametersOf(one, like)
        const matching = model.flows.filter((own) =>
          one.filters.every((name) => matchesFilter(own, name, like, one.isOpen)),
        )
        const begin = hourStart(origin) + one.begin * hourMicros
        const end = begin + one.hours * hourMicros
        const counted = matching
          .filter((own) => startOf(own) >= begin && startOf(own) < end)
          .filter(({ claims }) => one.role === null || claims.role === one.role)
        const query = new URLSearchParams({ ...parameters, begin: timestamp(begin), end: timestamp(end) })
        if (one.role) query.set('role', one.role)
        const top = new URLSearchParams([...query, ['order', one.order], ['limit', String(one.limit)]])
        if (one.by) for (const search of [query, top]) search.set('by', one.by)

        const { data: histogram } = await readHistogram(account.id, query)
        expect(histogram.counted_from).toBeNull()
        if (maxValues === 1_000) expect(histogram.approximate).toBe(false)
        const hours = countHours(counted, begin, one.hours, one.by)
        if (!histogram.approximate) expect(histogram.hours).toEqual(hours)
        else if (one.by) expect(histogram.hours).toMatchObject(hours.map(({ by, ...rest }) => rest))

        const { data: ranked } = await readTopValues(account.id, top)
        if (maxValues === 1_000) expect(ranked.approximate).toBe(false)
        if (!ranked.approximate)
          expect(ranked.values).toEqual(rankValues(counted, one.by ?? 'actor', one.order).slice(0, one.limit))

        Object.assign(filterLimits, one.isBounded ? { groups: 1, units: 300 } : limits)
        const expected = matching
          .filter((own) => isWithin(own, begin, end))
          .map(({ id }) => id)
          .sort()
          .reverse()
        const { forward, backward } = await readPages(account, {
          ...parameters,
          type: 'flow',
          begin: timestamp(begin),
          end: timestamp(end),
          limit: String(one.limit),
        })
        expect(forward.flatMap(({ ids }) => ids)).toEqual(expected)
        const before = expected.slice(0, expected.length - (forward.at(-1)?.ids.length ?? 0))
        expect(backward.flatMap(({ ids }) => ids)).toEqual(before)
        const isFiltered = one.filters.some((name) => name !== 'actor_id')
        for (const page of [...forward, ...backward]) {
          expect('read_until' in page).toBe(isFiltered)
          if (isFiltered) expect([page.total, page.count]).toEqual([0, 0])
        }
      }

      for (let at = 0; at < deliveries.length; ) {
        const batch = deliveries.slice(at, at + (batchSizes.next().value as number))
        now.mockReturnValue(Math.max(clock.now(), batch.at(-1)?.at as number))
        await deliverBatch(batch, null)
        model.add(clock.now(), batch)
        at += batch.length
        await interruptFlush(account.id, interruptions.next().value as number | null)
        for (let i = 0; i < 2; i++) await compare(searches.next().value as Search)
        await flushFlows(account.id)
        for (let i = 0; i < 2; i++) await compare(searches.next().value as Search)
      }
      now.mockReturnValue(clock.now() + 2 * day)
      await flushFlows(account.id)
      for (let i = 0; i < 6; i++) await compare(searches.next().value as Search)
    }),
    { numRuns: 4, endOnFailure: true },
  )
})
