import { randomUUID } from 'node:crypto'
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, expect, it, vi } from 'vitest'
import { handler as storeFlowLogs } from '#functions/streams/store-flow-logs.ts'
import { clock, dayMicros, hourMicros, timestamp } from '#shared/core/clock.ts'
import type { AccountRow } from '#shared/domain/accounts/account.ts'
import { trafficLimits } from '#shared/logs/count-traffic.ts'
import { countLimits } from '#shared/logs/counters/value-counts.ts'
import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import { filterLimits } from '#shared/logs/query-logs.ts'
import { readHistogram, readTopValues } from '#shared/logs/traffic-answers.ts'
import { flushFlows } from '#test/support/logs/archive.ts'
import { closeRecord, flowRecord, newFlowGrant, openRecord } from '#test/support/logs/flows.ts'
import { readPages } from '#test/support/logs/log-pages.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'

const midnight = Math.floor(clock.now() / dayMicros) * dayMicros - 5 * dayMicros
const at = (hours: number): number => midnight + hours * hourMicros
const limits = [trafficLimits, filterLimits, countLimits].map((one) => [one, { ...one }] as const)

afterEach(() => {
  for (const [one, values] of limits) Object.assign(one, values)
  vi.restoreAllMocks()
})

type Grant = Awaited<ReturnType<typeof newFlowGrant>>

async function newWorld(grantCount = 1) {
  const account = { id: randomUUID(), inserted_at: timestamp(midnight - dayMicros) } as AccountRow
  const grants = await Promise.all(Array.from({ length: grantCount }, () => newFlowGrant(account.id)))
  const now = vi.spyOn(clock, 'now').mockReturnValue(midnight)
  let flows = 0
  const report = async (hours: number, records: Record<string, unknown>[], grant = grants[0] as Grant) => {
    now.mockReturnValue(at(hours))
    const reports = records.map((record) => (checkFlowReport(record) as { report: FlowReport }).report)
    expect(await storeFlowLogs({ Records: [flowRecord(grant.claims(), at(hours), ...reports)] })).toEqual({
      batchItemFailures: [],
    })
  }
  return {
    account,
    grants,
    report,
    closed: (start: number, fields = {}) =>
      closeRecord({
        inner_src_port: flows++,
        flow_start: timestamp(at(start)),
        flow_end: timestamp(at(start) + 1),
        ...fields,
      }),
    open: (start: number) => openRecord({ inner_src_port: flows++, flow_start: timestamp(at(start)) }),
    flush: async (hours: number) => {
      now.mockReturnValue(at(hours))
      await flushFlows(account.id)
    },
    async histogram(begin: number, end: number, query: Record<string, string> = {}) {
      const window = { begin: timestamp(at(begin)), end: timestamp(at(end)) }
      const { data } = await readHistogram(account.id, new URLSearchParams({ ...window, ...query }))
      const flows = data.hours.map((hour) => hour.flows)
      return { ...data, flows, total: flows.reduce((sum, count) => sum + count, 0) }
    },
    async top(begin: number, end: number, query: Record<string, string> = {}) {
      const window = { begin: timestamp(at(begin)), end: timestamp(at(end)) }
      return (await readTopValues(account.id, new URLSearchParams({ ...window, ...query }))).data
    },
    pages: (begin: number, end: number, query: Record<string, string>) =>
      readPages(account, { type: 'flow', begin: timestamp(at(begin)), end: timestamp(at(end)), ...query }),
  }
}

/** True for a write of a file index, open flows, counters, a manifest or the state. */
const isFlushWrite = (command: object): boolean =>
  (command instanceof PutCommand && /^(flow_|archive_)/.test(command.input.Item?.kind)) ||
  (command instanceof UpdateCommand && ':watermark' in (command.input.ExpressionAttributeValues ?? {}))

it('counts each flow once after each write of a flush, also of merged days', async () => {
  const { report, closed, flush, histogram } = await newWorld()
  // The flush of the first hour of the next day writes counters of both days, late flows, and merged items.
  await report(22.5, [closed(22.4), closed(22.3)])
  await report(24.2, [closed(23.9), closed(24.1), closed(20), closed(20)])
  await flush(24.3)
  const queries: Record<string, string>[] = [{}, { by: 'actor' }, { by: 'port' }]
  for (let writes = 0; ; writes++) {
    let left = writes
    interceptTable(async (command, send) => {
      if (isFlushWrite(command) && left-- <= 0) throw new Error('interrupted')
      return send(command)
    })
    const isInterrupted = await flush(25.3).then(
      () => false,
      () => true,
    )
    vi.mocked(clock.now).mockReturnValue(at(25.4))
    interceptTable((command, send) => send(command))
    for (const query of queries) {
      const { flows } = await histogram(19, 26, query)
      expect(flows).toEqual([0, 2, 0, 2, 1, 1, 0])
    }
    if (!isInterrupted) break
  }
  await flush(28)
  expect((await histogram(19, 26)).flows).toEqual([0, 2, 0, 2, 1, 1, 0])
})

it('drops a repeated report with other ids of a flushed flow, also with a filter', async () => {
  const { account, grants, report, closed, flush, histogram, pages } = await newWorld()
  const [first] = grants as [Grant]
  const { initiator_device_id, resource_id, policy_id } = first.attribution
  const other = await newFlowGrant(account.id, { initiator_device_id, resource_id })
  const record = closed(1.1)
  await report(1.2, [record])
  await flush(2.3)
  await report(2.4, [record, closed(2.35)], other)
  const filters = { policy_id: other.attribution.policy_id }
  expect((await histogram(0, 3, filters)).flows).toEqual([0, 0, 1])
  expect((await histogram(0, 3, { policy_id })).flows).toEqual([0, 1, 0])
  const [page] = (await pages(0, 3, filters)).forward
  expect(page).toMatchObject({ total: 0, count: 0, read_until: null, next_page: null })
  expect(page?.ids.length).toBe(1)
  expect((await pages(0, 3, { policy_id, open: 'true' })).forward[0]?.ids).toEqual([])
})

it('ends a filtered page at each bound, and resumes without loss or repetition', async () => {
  const { account, grants, report, closed, flush, pages } = await newWorld(2)
  const [rare, frequent] = grants as [Grant, Grant]
  for (let hour = 0; hour < 6; hour++) {
    await report(hour + 0.5, [closed(hour + 0.4), closed(hour + 0.3)], frequent)
    if (hour === 0) await report(hour + 0.6, [closed(hour + 0.45), closed(hour + 0.35)], rare)
  }
  await flush(7.5)
  const all = (await pages(0, 7, {})).forward[0]?.ids ?? []
  expect(all.length).toBe(14)
  filterLimits.groups = 1
  // All hours match the protocol, but only the first hour has flows to the port.
  const { forward, backward } = await pages(0, 7, { device_id: frequent.attribution.initiator_device_id })
  expect(forward.map(({ ids }) => ids.length)).toEqual([2, 2, 2, 2, 2, 2])
  expect(backward.flatMap(({ ids }) => ids)).toEqual(forward.slice(0, -1).flatMap(({ ids }) => ids))
  const ends = forward.map(({ read_until }) => read_until)
  expect(ends.at(-1)).toBeNull()
  expect(ends.slice(0, -1).every((end, i) => end !== null && end !== undefined && end < (ends[i - 1] ?? '~'))).toBe(
    true,
  )
  // Counters exclude the other hours, so that one row group suffices.
  const exact = await pages(0, 7, { device_id: rare.attribution.initiator_device_id })
  expect(exact.forward.map(({ ids }) => ids.length)).toEqual([2])
  // Empty pages end in each hour, because its counters match but none of its rows does.
  const none = { resource_id: frequent.attribution.resource_id, protocol: 'udp' }
  const empty = (await pages(0, 7, none)).forward
  expect(empty.map(({ ids }) => ids)).toEqual([[], [], [], [], [], []])
  expect(new Set(empty.map(({ next_page }) => next_page)).size).toBe(6)
  Object.assign(filterLimits, { groups: 64, units: 250 })
  expect((await pages(0, 7, none)).forward.flatMap(({ ids }) => ids)).toEqual([])
  expect(account.id).not.toBe('')
})

it('ends a histogram at each bound of rows and files, and continues with counted_from', async () => {
  const { report, closed, flush, histogram, top } = await newWorld()
  for (let hour = 0; hour < 5; hour++)
    await report(hour + 0.5, [closed(hour + 0.4), closed(hour + 0.3, { protocol: 'udp' })])
  await flush(6.5)
  const query = { by: 'port', protocol: 'udp' }
  const whole = await histogram(0, 6, query)
  expect([whole.flows, whole.counted_from]).toEqual([[1, 1, 1, 1, 1, 0], null])
  for (const bound of [{ files: 2 }, { rows: 20_000 }]) {
    Object.assign(trafficLimits, { files: 400, rows: 2_000_000 }, bound)
    let counted: number[] = []
    let requests = 0
    for (let end = 6; ; requests++) {
      const part = await histogram(0, end, query)
      counted = [...part.flows, ...counted]
      expect(part.approximate).toBe(false)
      expect((await top(0, end, query)).counted_from).toBe(part.counted_from)
      if (part.counted_from === null) break
      end = (Date.parse(part.counted_from) * 1_000 - midnight) / hourMicros
    }
    expect(counted).toEqual(whole.flows)
    expect(requests).toBeGreaterThan(0)
  }
  expect((await histogram(0, 6)).counted_from).toBeNull()
})

it('ends at the bound of blocks, with an approximate hour if it is the only one', async () => {
  const { report, closed, open, flush, histogram } = await newWorld()
  await report(0.5, [closed(0.1)])
  await flush(1.3)
  await report(1.5, [closed(1.4), open(1.45)])
  await report(2.5, [closed(2.4), open(0.2)])
  const whole = await histogram(0, 3)
  expect([whole.flows, whole.hours.map((hour) => hour.open)]).toEqual([
    [2, 2, 1],
    [1, 1, 0],
  ])
  trafficLimits.blocks = 1
  expect(await histogram(0, 3)).toMatchObject({ counted_from: timestamp(at(2)), approximate: true })
  trafficLimits.blocks = 6_000
  expect(await histogram(0, 3)).toMatchObject({ counted_from: null, approximate: false })
})

it('reports a remaining sum as approximate, and never misses an hour', async () => {
  const { grants, report, closed, flush, histogram, top, pages } = await newWorld(4)
  countLimits.values = 1
  for (const [i, grant] of grants.entries())
    await report(
      0.5,
      Array.from({ length: 5 - i }, (_, n) => closed(0.1 + n / 100)),
      grant,
    )
  await flush(26)
  const ids = grants.map(({ attribution }) => attribution.initiator_actor_id)
  const first = await histogram(0, 1, { actor_id: ids[0] as string })
  expect([first.flows, first.approximate]).toEqual([[5], false])
  const second = await histogram(0, 1, { actor_id: ids[1] as string })
  expect([second.flows, second.approximate]).toEqual([[0], true])
  const all = await histogram(0, 1, { by: 'actor' })
  expect([all.flows, all.approximate, all.hours[0]?.by.length]).toEqual([[14], true, 1])
  expect(await top(0, 1)).toMatchObject({ approximate: true, values: [{ value: ids[0], flows: 5 }] })
  // Rows are exact.
  const rows = await histogram(0, 1, { actor_id: ids[1] as string, protocol: 'tcp' })
  expect([rows.flows, rows.approximate]).toEqual([[4], false])
  for (const [i, grant] of grants.entries()) {
    const { forward } = await pages(0, 1, { policy_id: grant.attribution.policy_id })
    expect(forward.flatMap((page) => page.ids).length).toBe(5 - i)
  }
})

it('reads all row groups of hours whose counters have expired', async () => {
  const { grants, report, closed, flush, pages } = await newWorld(2)
  const isCounter = (command: object) => command instanceof PutCommand && command.input.Item?.kind === 'flow_count'
  interceptTable(async (command, send) => (isCounter(command) ? {} : send(command)))
  for (const grant of grants) await report(0.5, [closed(0.4), closed(0.3)], grant)
  await flush(2.5)
  const [page] = (await pages(0, 3, { policy_id: grants[0]?.attribution.policy_id ?? '' })).forward
  expect(page?.ids.length).toBe(2)
})
