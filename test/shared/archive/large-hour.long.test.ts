import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { handler as storeFlowLogs } from '#functions/streams/store-flow-logs.ts'
import { clock, hourMicros, timestamp } from '#shared/core/clock.ts'
import type { AccountRow } from '#shared/domain/accounts/account.ts'
import { fileLimits, groupRows } from '#shared/logs/files/columns.ts'
import { listLogs } from '#shared/logs/query-logs.ts'
import { putArchiveState } from '#test/support/logs/archive.ts'
import { flowReport, newFlowAccount, setClock, simulatedDay } from '#test/support/logs/flow-account.ts'
import { readArchiveOf } from '#test/support/logs/read-archive.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'

const day = simulatedDay()
const minute = 60_000_000
const dueAt = day + hourMicros + 15 * minute
const perRecord = 1_000
/** Number of flows of an hour, whose files have at most two row groups. */
const count = 20_000
const rowsOfFile = 2 * groupRows

const { rows: allRows } = fileLimits
beforeEach(() => {
  fileLimits.rows = rowsOfFile
})
afterEach(() => {
  fileLimits.rows = allRows
  vi.restoreAllMocks()
})

it('flushes an hour with several files, and resumes after the last complete file', { timeout: 600_000 }, async () => {
  const { account, record, idOf, flush, state } = await newFlowAccount()
  const startOf = (i: number) => day + i * 140_000
  const reports = Array.from({ length: count }, (_, i) => flowReport(startOf(i), { end: startOf(i) + 5 }))
  for (let at = 0; at < count; at += 10 * perRecord) {
    const now = day + 50 * minute + at
    setClock(now)
    const Records = []
    for (let from = at; from < Math.min(count, at + 10 * perRecord); from += perRecord)
      Records.push(record(now, ...reports.slice(from, from + perRecord)))
    expect(await storeFlowLogs({ Records })).toEqual({ batchItemFailures: [] })
  }
  const window = (i: number) => ({ begin: timestamp(startOf(i)), end: timestamp(startOf(i + 3)) })
  const row = { id: account, inserted_at: timestamp(0) } as AccountRow
  const list = async (i: number) => {
    const { data } = await listLogs(row, new URLSearchParams({ type: 'flow', ...window(i) }))
    return data.map(({ log_id }) => log_id)
  }
  const expectListed = async () => {
    for (const i of [0, count - rowsOfFile - 2, count - rowsOfFile, count - groupRows - 2, count - 4])
      expect(await list(i)).toEqual(
        reports
          .slice(i, i + 4)
          .map(idOf)
          .reverse(),
      )
  }
  await expectListed()

  // Lets the deadline pass when a run has written a file and its index item.
  const written: string[] = []
  interceptTable((command, send) => {
    const { Item: item } = (command as { input: { Item?: { kind: string; sk: string } } }).input
    if (item?.kind === 'flow_file') written.push(item.sk.slice(-6))
    return send(command)
  })
  const time = vi.spyOn(clock, 'monotonic').mockImplementation(() => (written.length === 0 ? 0 : 2))
  await flush(dueAt, 1)
  expect(written).toEqual(['000000'])
  expect(await state()).toMatchObject({ watermark: day, manifests: 0 })
  await expectListed()
  time.mockReturnValue(0)
  await flush(dueAt, 1)
  // The second run stores the index item of the first file again.
  expect(written).toEqual(['000000', '000000', '000001'])
  const { manifests, rows } = await readArchiveOf(account)
  expect(manifests.flatMap(({ files }) => files.map((file) => file.rows))).toEqual([rowsOfFile, count - rowsOfFile])
  expect(rows.flow.map(({ id }) => id).sort()).toEqual(reports.map(idOf).sort())
  await expectListed()

  // Adopts the manifest after the state was lost (R3.7).
  const stored = await state()
  await putArchiveState(account, day)
  await flush(dueAt + minute, 1)
  expect(await state()).toEqual({ ...stored, written_at: dueAt + minute })
  await expectListed()
})
