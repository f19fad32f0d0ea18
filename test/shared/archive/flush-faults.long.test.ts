import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { handler as getLog } from '#functions/api/logs/get-log.ts'
import { handler as listLogsHandler } from '#functions/api/logs/list-logs.ts'
import { handler as storeFlowLogs } from '#functions/streams/store-flow-logs.ts'
import { flushAccount } from '#shared/archive/flush-account.ts'
import { archiveStore } from '#shared/core/aws/object-store.ts'
import { clock, dayMicros, hourMicros, timestamp } from '#shared/core/clock.ts'
import type { AccountRow } from '#shared/domain/accounts/account.ts'
import { listLogs } from '#shared/logs/query-logs.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { skipHours } from '#test/support/logs/archive.ts'
import { interceptWrites, killAt } from '#test/support/logs/archive-writes.ts'
import { flowReport, newFlowAccount, setClock, simulatedDay } from '#test/support/logs/flow-account.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { readArchiveOf } from '#test/support/logs/read-archive.ts'
import { MemoryBucket } from '#test/support/service/memory-bucket.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'

const day = simulatedDay()
const minute = 60_000_000
const always = Number.POSITIVE_INFINITY
const dueAt = (hour: number) => hour + hourMicros + 15 * minute
/** Time after which the lease of a run that died at the given time has expired. No further hour is due then. */
const afterLease = (at: number) => at + 25 * minute

let ownTable: Awaited<ReturnType<typeof useOwnTable>>
beforeEach(async () => {
  ownTable = await useOwnTable()
})
afterEach(async () => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  await ownTable.end()
})

function useEmptyFolder(): void {
  const folder = mkdtempSync(join(tmpdir(), 'archive-test-'))
  vi.stubEnv('ARCHIVE_FOLDER', folder)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
}

type Account = Awaited<ReturnType<typeof newFlowAccount>>

/** Reports of three hours: short flows, flows that are closed later, late flows and repeated reports. */
function reportsOfHours(): [at: number, report: ReturnType<typeof flowReport>][] {
  const reports: [at: number, report: ReturnType<typeof flowReport>][] = []
  const add = (at: number, start: number, end: number | null, port: number) =>
    reports.push([
      day + at * minute,
      flowReport(day + start * minute, { end: end && day + end * minute, inner_src_port: port }),
    ])
  for (let i = 0; i < 12; i++) add(2 + i * 14, 1 + i * 14, 2 + i * 14, i)
  add(5, 4, null, 100)
  add(6, 5, null, 101)
  add(70, 66, null, 102)
  add(71, 4, 71, 100)
  add(130, 66, 129, 102)
  add(131, 66, 131, 102)
  add(72, -600, -500, 103)
  add(73, 72, 400, 104)
  add(140, 1, 2, 0)
  add(141, -600, -500, 103)
  return reports.sort(([a], [b]) => a - b)
}

/** Time of the flush that writes the three hours. */
const flushedAt = dueAt(day + 2 * hourMicros)

async function newReportedAccount(): Promise<Account> {
  const flows = await newFlowAccount()
  for (const [at, report] of reportsOfHours()) await flows.store(at, report)
  setClock(flushedAt - hourMicros)
  return flows
}

async function listFlows(account: string) {
  const row = { id: account, inserted_at: timestamp(0) } as AccountRow
  const window = { begin: timestamp(day - dayMicros), end: timestamp(day + 30 * dayMicros) }
  return (await listLogs(row, new URLSearchParams({ type: 'flow', limit: '1000', ...window }))).data
}

async function objects(account: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const stream of ['flow', 'manifest'])
    for await (const { path } of archiveStore().list(`v1/${stream}/account=${account}/`))
      found[path] = (await archiveStore().get(path))?.content.toString('base64') ?? ''
  return found
}

/** Returns everything that a flush writes, without the times of writing and the lease. */
async function result({ account }: Account) {
  await readArchiveOf(account)
  const items = (await ownTable.items(account)).filter(({ pk }) => !String(pk).includes('#log.flow.block'))
  const times = { stored_at: 0, ttl: 0, written_at: 0 }
  return {
    objects: await objects(account),
    // Compares summaries by their content, because adopted manifests have other orders of keys.
    items: items.map(({ summary = null, lease: _lease, lease_until: _until, ...item }) => ({
      ...item,
      ...times,
      summary: JSON.parse(String(summary)),
    })),
    listed: await listFlows(account),
  }
}

describe('a run that is killed', () => {
  it('between two writes leaves the same archive as an undisturbed run', { timeout: 600_000 }, async () => {
    useEmptyFolder()
    const flows = await newReportedAccount()
    const before = await ownTable.items(flows.account)
    await flows.flush(flushedAt)
    const expected = await result(flows)
    expect(expected.listed.length).toBe(17)
    expect(Object.keys(expected.objects).length).toBeGreaterThanOrEqual(6)
    let index = 0
    for (let reached = true; reached; index += 2) {
      useEmptyFolder()
      await ownTable.restore(flows.account, before)
      // Every other run loses the response of a write that was done, which stores the same as a kill before the next write.
      const killed = killAt(index, index % 4 === 2)
      await flows.flush(flushedAt).catch(() => undefined)
      killed.restore()
      reached = killed.reached
      // Expects all flows in every state that the run can leave.
      expect(await listFlows(flows.account), `write ${index}`).toEqual(expected.listed)
      await flows.flush(afterLease(flushedAt))
      expect(await result(flows), `write ${index}`).toEqual(expected)
    }
    expect(index).toBeGreaterThan(20)
  })

  it('or pauses while another run flushes the account changes nothing', { timeout: 600_000 }, async () => {
    useEmptyFolder()
    const flows = await newReportedAccount()
    const before = await ownTable.items(flows.account)
    await flows.flush(flushedAt)
    const expected = await result(flows)
    // Pauses before every third write, because each pause needs two runs.
    for (let [index, reached] = [1, true]; reached; index += 3) {
      useEmptyFolder()
      await ownTable.restore(flows.account, before)
      let writes = 0
      reached = false
      const restore = interceptWrites(async (send) => {
        if (writes++ === index) {
          reached = true
          setClock(afterLease(flushedAt))
          await flushAccount(flows.account, always)
        }
        return send()
      })
      await flows.flush(flushedAt)
      restore()
      setClock(afterLease(flushedAt))
      expect(await result(flows), `write ${index}`).toEqual(expected)
    }
  })
})

describe('reports that arrive again', () => {
  it('after a replay of the stream change nothing', async () => {
    useEmptyFolder()
    const flows = await newReportedAccount()
    await flows.flush(flushedAt)
    const expected = await result(flows)
    const replayed = day + 5 * hourMicros
    setClock(replayed)
    const records = reportsOfHours().map(([at, report]) => flows.record(at, report))
    expect(await storeFlowLogs({ Records: records })).toEqual({ batchItemFailures: [] })
    expect(await listFlows(flows.account)).toEqual(expected.listed)
    await flows.flush(dueAt(replayed))
    const { objects: after, listed } = await result(flows)
    expect([after, listed]).toEqual([expected.objects, expected.listed])
  })

  it('a week later with others that were not stored add only these', async () => {
    useEmptyFolder()
    const flows = await newFlowAccount()
    const reports = reportsOfHours()
    for (const [i, [at, report]] of reports.entries()) if (i % 3 > 0) await flows.store(at, report)
    for (let hour = 2; hour < 4; hour++) await flows.flush(dueAt(day + hour * hourMicros))
    await skipHours(flows.account, day + 7 * dayMicros)
    const { rows: first } = await readArchiveOf(flows.account)
    const redriven = day + 7 * dayMicros + 3 * hourMicros
    setClock(redriven)
    const records = reports.map(([at, report]) => flows.record(at, report))
    expect(await storeFlowLogs({ Records: records })).toEqual({ batchItemFailures: [] })
    const ids = [...new Set(reports.map(([, report]) => flows.idOf(report)))].sort()
    const closed = new Set(reports.flatMap(([, report]) => (report.closing ? [flows.idOf(report)] : [])))
    const listed = await listFlows(flows.account)
    expect(listed.map(({ log_id }) => log_id).sort()).toEqual(ids)
    await flows.flush(dueAt(redriven))
    expect(await listFlows(flows.account)).toEqual(listed)
    const { rows } = await readArchiveOf(flows.account)
    expect(rows.flow.map(({ id }) => id).sort()).toEqual([...closed].sort())
    expect(rows.flow.slice(0, first.flow.length)).toEqual(first.flow)
    expect(await flows.openIds()).toEqual(ids.filter((id) => !closed.has(id)))
  })
})

describe('a table that was restored while the archive is ahead (R3.7)', () => {
  it('adopts the manifests, without a missing or repeated flow', async () => {
    for (const isFlushed of [false, true]) {
      useEmptyFolder()
      const flows = await newReportedAccount()
      if (isFlushed) await flows.flush(dueAt(day))
      const copy = await ownTable.items(flows.account)
      await flows.flush(flushedAt)
      // Closes an open flow and adds a flow after the copy, so that the restored table lacks their reports.
      const later = day + 4 * hourMicros
      await flows.store(later, flowReport(day + 5 * minute, { end: later, inner_src_port: 101 }))
      await flows.store(later + minute, flowReport(later, { end: later + minute }))
      await flows.flush(dueAt(later))
      const expected = await result(flows)
      expect(await flows.openIds()).toEqual([])

      await ownTable.restore(flows.account, copy)
      const log = catchLog('ERROR')
      await flows.flush(afterLease(dueAt(later)))
      expect(log.lines().filter(({ event }) => event !== 'archive_behind')).toEqual([])
      const adopted = await result(flows)
      expect([adopted.objects, adopted.listed]).toEqual([expected.objects, expected.listed])
      expect(await flows.openIds()).toEqual([])

      const next = day + 6 * hourMicros
      await flows.store(next, flowReport(next, { end: next + 1 }), flowReport(later, { end: later + minute }))
      await flows.flush(dueAt(next))
      expect((await readArchiveOf(flows.account)).rows.flow).toHaveLength(expected.listed.length + 1)
      vi.restoreAllMocks()
    }
  })

  it('stops at a file that is missing or damaged', async () => {
    for (const damage of ['', 'damaged']) {
      useEmptyFolder()
      const flows = await newReportedAccount()
      const copy = await ownTable.items(flows.account)
      await flows.flush(flushedAt)
      const [path = ''] = Object.keys(await objects(flows.account))
      const stored = await archiveStore().get(path)
      await archiveStore().put(path, damage, stored?.tag ?? '')
      await ownTable.restore(flows.account, copy)
      const log = catchLog('ERROR')
      await flows.flush(afterLease(flushedAt))
      expect(log.lines().map(({ event, at }) => [event, at])).toEqual([['archive_stopped', path]])
      expect((await flows.state())?.manifests).toBe(0)
      vi.restoreAllMocks()
    }
  })
})

it('recovers from a day without S3, during which flows in files are unavailable (R8.2)', async () => {
  vi.stubEnv('ARCHIVE_FOLDER', '')
  vi.stubEnv('ARCHIVE_BUCKET', 'archive')
  new MemoryBucket()
  const working = globalThis.fetch
  const account = await newAccount()
  const flows = await newFlowAccount(account.id)
  for (const [at, report] of reportsOfHours()) await flows.store(at, report)
  await flows.flush(dueAt(day))
  const first = flowReport(day + minute, { end: day + 2 * minute, inner_src_port: 0 })
  // Sends requests at a later time, so that the hours to flush have no API requests, which are not sealed here.
  const call = (...args: Parameters<typeof account.call>) => {
    setClock(day + 3 * dayMicros)
    return account.call(...args)
  }
  const read = (report: typeof first) => call(getLog, { params: { log_id: flows.idOf(report) } })
  const list = (begin: number, end: number) =>
    call(listLogsHandler, { query: { type: 'flow', begin: timestamp(begin), end: timestamp(end) } })
  expect((await read(first)).status).toBe(200)

  vi.stubGlobal('fetch', async () => new Response('', { status: 503 }))
  vi.spyOn(clock, 'sleep').mockResolvedValue()
  for (let hour = 1; hour < 24; hour += 6) {
    await expect(flows.flush(dueAt(day + hour * hourMicros))).rejects.toThrow()
    const { status, body } = await read(first)
    expect([status, body.code]).toEqual([503, 'unavailable'])
    expect((await list(day, day + hourMicros)).status).toBe(503)
    // Flows that started and ended after the watermark are in blocks, which are available.
    expect((await list(day + 150 * minute, day + 160 * minute)).status).toBe(200)
  }
  vi.stubGlobal('fetch', working)
  await flows.flush(dueAt(day + 24 * hourMicros))
  const { rows } = await readArchiveOf(account.id)
  const closed = new Set(reportsOfHours().flatMap(([, report]) => (report.closing ? [flows.idOf(report)] : [])))
  expect(rows.flow.map(({ id }) => id).sort()).toEqual([...closed].sort())
  expect((await read(first)).status).toBe(200)
})
