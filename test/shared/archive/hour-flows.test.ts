import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { archiveStore } from '#shared/core/aws/object-store.ts'
import { dayMicros, hourMicros, hourStart, timestamp } from '#shared/core/clock.ts'
import type { AccountRow } from '#shared/domain/accounts/account.ts'
import { readArchiveState } from '#shared/logs/blocks/archive-view.ts'
import { hourSort } from '#shared/logs/blocks/block-keys.ts'
import { openVersions } from '#shared/logs/blocks/open-set.ts'
import { lastLogMicros } from '#shared/logs/entries/log-id.ts'
import { getLog, listLogs } from '#shared/logs/query-logs.ts'
import { removeItem } from '#shared/table/put-item.ts'
import { skipHours } from '#test/support/logs/archive.ts'
import { flowReport, newFlowAccount, setClock, simulatedDay } from '#test/support/logs/flow-account.ts'
import { readArchiveOf } from '#test/support/logs/read-archive.ts'
import { recordCommands } from '#test/support/table/intercept-table.ts'

const day = simulatedDay()
const minute = 60_000_000
const dueAt = (hour: number) => hour + hourMicros + 15 * minute

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

type Account = Awaited<ReturnType<typeof newFlowAccount>>

const archived = async ({ account }: Account) =>
  (await readArchiveOf(account)).rows.flow.map(({ id, hour }) => [id, hour] as const)

async function versionsOf({ account }: Account) {
  const versions: [hour: number, flushedHour: number][] = []
  const watermark = (await readArchiveState(account))?.watermark ?? 0
  for await (const { hour, flushedHour, parts } of openVersions(account, watermark))
    if (parts.length > 0) versions.push([hour, flushedHour])
  return versions
}

const listed = async ({ account }: Account, begin: number, end: number) => {
  const row = { id: account, inserted_at: timestamp(0) } as AccountRow
  const window = { begin: timestamp(begin), end: timestamp(end) }
  const { data } = await listLogs(row, new URLSearchParams({ type: 'flow', ...window }))
  return data.map(({ log_id }) => log_id)
}

describe('the open set (R3.4)', () => {
  it('keeps a flow until the hour of its close report, and changes only the versions of the hours involved', async () => {
    const flows = await newFlowAccount()
    const starts = [day + minute, day + hourMicros + minute, day + hourMicros + 2 * minute] as const
    for (const start of starts) await flows.store(start + minute, flowReport(start))
    await flows.flush(dueAt(day + hourMicros))
    const ids = starts.map((start) => flows.idOf(flowReport(start)))
    expect(await flows.openIds()).toEqual(ids)
    expect(await versionsOf(flows)).toEqual([
      [day, day],
      [day + hourMicros, day + hourMicros],
    ])
    const closed = day + 4 * hourMicros
    await flows.store(closed, flowReport(starts[1], { end: closed }))
    await flows.flush(dueAt(closed))
    expect(await flows.openIds()).toEqual([ids[0], ids[2]])
    expect(await versionsOf(flows)).toEqual([
      [day, day],
      [day + hourMicros, closed],
    ])
    expect(await archived(flows)).toEqual([[ids[1], closed]])
  })

  it('keeps the ingest time of the first report, also if the flow is closed days later', async () => {
    const flows = await newFlowAccount()
    const start = day + minute
    await flows.store(start, flowReport(start))
    await flows.flush(dueAt(day))
    const closed = day + 5 * dayMicros + minute
    await skipHours(flows.account, hourStart(closed))
    await flows.store(closed, flowReport(start, { end: closed, domain: 'late.example' }))
    await flows.flush(dueAt(hourStart(closed)))
    const [{ row } = { row: undefined }] = (await readArchiveOf(flows.account)).rows.flow
    expect(row).toMatchObject({ timestamp: start, stored_at: closed, flow_end: closed, inner_domain: null })
  })

  it('is not changed by repeated open reports', async () => {
    const flows = await newFlowAccount()
    const start = day + minute
    await flows.store(start, flowReport(start))
    await flows.flush(dueAt(day))
    await flows.store(day + 2 * hourMicros, flowReport(start))
    await flows.flush(dueAt(day + 2 * hourMicros))
    expect(await versionsOf(flows)).toEqual([[day, day]])
  })

  it('is written again in the first hour of a day after seven days, also if flows of the hour are reported then', async () => {
    for (const isRepeated of [false, true]) {
      const flows = await newFlowAccount()
      const start = day + minute
      await flows.store(start, flowReport(start))
      await flows.flush(dueAt(day))
      const [before, after] = [day + 6 * dayMicros, day + 7 * dayMicros] as const
      await skipHours(flows.account, before)
      await flows.flush(dueAt(before))
      expect(await versionsOf(flows)).toEqual([[day, day]])
      await skipHours(flows.account, after)
      if (isRepeated) await flows.store(after + minute, flowReport(start))
      await flows.flush(dueAt(after))
      expect(await versionsOf(flows)).toEqual([[day, after]])
      expect(await flows.openIds()).toEqual([flows.idOf(flowReport(start))])
    }
  })

  it('keeps other hours of the day that are written again after a report of an earlier hour', async () => {
    const flows = await newFlowAccount()
    const starts = [day + minute, day + 3 * hourMicros + minute] as const
    for (const start of starts) await flows.store(start, flowReport(start))
    await flows.flush(dueAt(day + 3 * hourMicros))
    const after = day + 8 * dayMicros
    await skipHours(flows.account, after)
    await flows.store(after + minute, flowReport(starts[0], { end: after }))
    await flows.flush(dueAt(after))
    expect(await flows.openIds()).toEqual([flows.idOf(flowReport(starts[1]))])
  })

  it('is read without expired versions, which the table may delete in any order', async () => {
    const flows = await newFlowAccount()
    const start = day + minute
    await flows.store(start, flowReport(start))
    await flows.flush(dueAt(day))
    const closed = day + 2 * hourMicros
    await flows.store(closed, flowReport(start, { end: closed }))
    await flows.flush(dueAt(closed))
    expect(await flows.openIds()).toEqual([])
    const sk = `${hourSort(day)}#${hourSort(closed)}#000000`
    await removeItem({ pk: `${flows.account}#log.flow.open`, sk })
    setClock(dueAt(closed) + 15 * dayMicros)
    expect(await flows.openIds()).toEqual([])
  })
})

describe('a flow whose retention ends while it is open (R3.2)', () => {
  it('goes to a file of the first hour of a day, with null close columns, and is not read any more', async () => {
    vi.stubEnv('FLOW_RETENTION_DAYS', '3')
    const flows = await newFlowAccount()
    const starts = [day + minute, day + dayMicros + minute] as const
    const ids = starts.map((start) => flows.idOf(flowReport(start)))
    await flows.store(starts[0] + minute, flowReport(starts[0]))
    await flows.flush(dueAt(day))
    await skipHours(flows.account, day + dayMicros)
    await flows.store(starts[1] + minute, flowReport(starts[1]))
    await flows.flush(dueAt(day + dayMicros))
    const ended = day + 3 * dayMicros
    await skipHours(flows.account, ended - 2 * hourMicros)
    await flows.flush(dueAt(ended - hourMicros))
    expect([await archived(flows), await flows.openIds()]).toEqual([[], ids])
    await flows.flush(dueAt(ended))
    expect([await archived(flows), await flows.openIds()]).toEqual([[[ids[0], ended]], [ids[1]]])
    const [{ row } = { row: undefined }] = (await readArchiveOf(flows.account)).rows.flow
    const closing = { flow_end: null, last_packet: null, outers: null, rx_bytes: null, tx_packets: null }
    expect(row).toMatchObject({ ...closing, stored_at: starts[0] + minute + 3 * dayMicros })
    await expect(getLog(flows.account, ids[0] ?? '')).rejects.toMatchObject({ code: 'not_found' })
    expect(await listed(flows, day, ended + dayMicros)).toEqual([ids[1]])
    // Drops a report of the flow that arrives afterwards.
    await flows.store(ended + 2 * hourMicros, flowReport(starts[0], { end: ended }))
    await flows.flush(dueAt(ended + 2 * hourMicros))
    expect(await archived(flows)).toHaveLength(1)
  })

  it('is closed by a report of that hour', async () => {
    vi.stubEnv('FLOW_RETENTION_DAYS', '3')
    const flows = await newFlowAccount()
    const start = day + minute
    await flows.store(start, flowReport(start))
    await flows.flush(dueAt(day))
    const ended = day + 3 * dayMicros
    await skipHours(flows.account, ended)
    await flows.store(ended + 5 * minute, flowReport(start, { end: ended }))
    await flows.flush(dueAt(ended))
    const [{ row } = { row: undefined }] = (await readArchiveOf(flows.account)).rows.flow
    expect(row).toMatchObject({ flow_end: ended, stored_at: ended + 5 * minute })
    expect(await flows.openIds()).toEqual([])
  })
})

describe('a repeated report of a flushed flow (R3.4)', () => {
  const cases: [string, start: number, end: number, closed: number][] = [
    ['a flow of its hour', day + minute, day + 2 * minute, day + 3 * minute],
    ['a flow of the hour before', day + 59 * minute, day + 61 * minute, day + 62 * minute],
    ['a late flow', day - 30 * hourMicros, day - 29 * hourMicros, day + 3 * minute],
    ['a flow that ends after its hour', day + minute, day + 9 * hourMicros, day + 3 * minute],
    ['a flow that starts in the future', day + 5 * hourMicros, day + 6 * hourMicros, day + 3 * minute],
    ['a flow that ends before it starts', day + minute, day - 50 * hourMicros, day + 3 * minute],
    ['a flow of distant years', minute, 2 ** 53 - 1, day + 3 * minute],
  ]

  it.each(cases)('is dropped for %s', async (_name, start, end, closed) => {
    const flows = await newFlowAccount()
    const report = flowReport(start, { end })
    const id = flows.idOf(report)
    await flows.store(closed, report)
    await flows.flush(dueAt(hourStart(closed)))
    expect(await archived(flows)).toEqual([[id, hourStart(closed)]])
    const read = async () => {
      const { data } = await getLog(flows.account, id)
      return [data.log_id, 'rx_bytes' in data && Number(data.rx_bytes)]
    }
    const after = Math.min(Math.max(start, end) + hourMicros, lastLogMicros)
    const repeated = [flowReport(start), flowReport(start, { end: after + dayMicros, rx_bytes: 9 })]
    for (const [i, again] of repeated.entries()) {
      const stored = day + (20 + i) * hourMicros
      await flows.store(stored, again)
      for (let flushes = 0; flushes < 2; flushes++) {
        expect(await read()).toEqual([id, 3])
        expect(await listed(flows, start, start)).toEqual([id])
        // The flow has ended before this window, except for one that ends in a distant year.
        expect(await listed(flows, after, after + 1)).toEqual(end > lastLogMicros ? [id] : [])
        await flows.flush(dueAt(stored))
      }
    }
    expect(await archived(flows)).toHaveLength(1)
    expect(await flows.openIds()).toEqual([])
  })
})

describe('the order of reports (R2.4)', () => {
  it('decides by the time of storing, across slots, hours and the open set', async () => {
    for (const isFlushed of [false, true]) {
      const flows = await newFlowAccount()
      const start = day + 50 * minute
      await flows.store(start + minute, flowReport(start))
      if (isFlushed) await flows.flush(dueAt(day))
      for (const [i, minutes] of [100, 104, 108, 130].entries())
        await flows.store(day + minutes * minute, flowReport(start, { end: day + minutes * minute, rx_bytes: i }))
      await flows.flush(dueAt(day + 2 * hourMicros))
      const [{ row } = { row: undefined }, ...others] = (await readArchiveOf(flows.account)).rows.flow
      expect(others).toEqual([])
      expect(row).toMatchObject({ timestamp: start + minute, flow_end: day + 100 * minute, rx_bytes: 0n })
      expect(row?.stored_at).toBe(day + 100 * minute)
    }
  })
})

it('reports with starts in thousands of hours are flushed with few requests, and dropped when they are repeated', async () => {
  const flows = await newFlowAccount()
  const reports = Array.from({ length: 3_000 }, (_, i) => {
    const start = day - i * hourMicros
    return flowReport(start, { end: start + minute })
  })
  for (let from = 0; from < reports.length; from += 1_000)
    await flows.store(day + minute, ...reports.slice(from, from + 1_000))
  const commands = recordCommands()
  await flows.flush(dueAt(day))
  expect(commands.length).toBeLessThan(3_000)
  vi.restoreAllMocks()
  expect(await archived(flows)).toHaveLength(3_000)
  await flows.store(day + 2 * hourMicros, ...reports.slice(0, 200))
  await flows.flush(dueAt(day + 2 * hourMicros))
  expect(await archived(flows)).toHaveLength(3_000)
  for (const i of [0, 1, 47, 2_999]) {
    const report = reports[i] as (typeof reports)[number]
    expect(await listed(flows, report.flow_start, report.flow_start + minute)).toContain(flows.idOf(report))
  }
})

describe('a file that has expired in the bucket', () => {
  it.each([
    ['is not needed any more', 100, false],
    ['is missed while its flows are shown', 10, true],
  ])('%s', async (_, days, isMissed) => {
    vi.stubEnv('FLOW_RETENTION_DAYS', '30')
    const flows = await newFlowAccount()
    const [first, last] = [day + minute, day + 3 * minute]
    await flows.store(day + 4 * minute, ...[first, last].map((start) => flowReport(start, { end: start + 1 })))
    await flows.flush(dueAt(day))
    for await (const { path } of archiveStore().list(`v1/flow/account=${flows.account}/`))
      rmSync(join(process.env.ARCHIVE_FOLDER ?? '', path))
    const later = day + days * dayMicros
    await skipHours(flows.account, later)
    const report = flowReport(day + 2 * minute, { end: later })
    await flows.store(later + minute, report)
    const flushed = flows.flush(dueAt(later)).then(() => flows.state())
    if (isMissed) await expect(flushed).rejects.toThrow('The archive has no file')
    else {
      expect((await flushed)?.watermark).toBe(later + hourMicros)
      expect(await listed(flows, later - hourMicros, later)).toEqual([flows.idOf(report)])
    }
  })
})
