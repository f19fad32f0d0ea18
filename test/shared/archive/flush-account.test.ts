import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { flushAccount } from '#shared/archive/flush-account.ts'
import { clock, dayMicros, hourMicros, hourStart, timestamp } from '#shared/core/clock.ts'
import { archiveStateKey } from '#shared/logs/blocks/archive-view.ts'
import { sealKey } from '#shared/table/keys.ts'
import { getItem } from '#shared/table/read.ts'
import { table, tableName } from '#shared/table/table.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { flowReport, newFlowAccount, setClock, simulatedDay } from '#test/support/logs/flow-account.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { readArchiveOf } from '#test/support/logs/read-archive.ts'
import { interceptTable, recordCommands } from '#test/support/table/intercept-table.ts'

const day = simulatedDay()
const minute = 60_000_000
const always = Number.POSITIVE_INFINITY
/** Time at which the hour that starts at `hour` is due. */
const dueAt = (hour: number) => hour + hourMicros + 15 * minute

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

const setFields = async (account: string, fields: Record<string, unknown>, key = archiveStateKey(account)) => {
  const names = Object.keys(fields)
  await table().send(
    new UpdateCommand({
      TableName: tableName(),
      Key: { pk: key.pk, sk: key.sk },
      UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: Object.fromEntries(names.map((name) => [`:${name}`, fields[name]])),
    }),
  )
}

/** Makes the clock for deadlines advance by one with each request to the table. */
function countRequests(): { count: number } {
  const requests = { count: 0 }
  interceptTable((command, send) => {
    requests.count++
    return send(command)
  })
  vi.spyOn(clock, 'monotonic').mockImplementation(() => requests.count)
  return requests
}

/** Creates an account with a closed flow in each of the first `hours` hours of the day. */
async function newHours(hours: number) {
  const flows = await newFlowAccount()
  const reports = Array.from({ length: hours }, (_, i) => {
    const start = day + i * hourMicros + minute
    return flowReport(start, { end: start + minute })
  })
  for (const report of reports) await flows.store(report.flow_start + 2 * minute, report)
  const archived = async () => (await readArchiveOf(flows.account)).rows.flow.map(({ id }) => id)
  return { ...flows, ids: reports.map(flows.idOf), archived }
}

describe('due hours (R3.1)', () => {
  it('are flushed 15 minutes after their end, not before', async () => {
    const { flush, archived, state, ids } = await newHours(1)
    await flush(dueAt(day) - 1)
    expect([await archived(), await state()]).toEqual([[], null])
    await flush(dueAt(day))
    expect(await archived()).toEqual(ids)
    expect(await state()).toMatchObject({ watermark: day + hourMicros, until: day + hourMicros, manifests: 1 })
  })

  it('are flushed together, oldest first, up to the last one that is due', async () => {
    const { account, flush, ids, state } = await newHours(4)
    await flush(dueAt(day + 2 * hourMicros))
    const { manifests, rows } = await readArchiveOf(account)
    expect(manifests.map(({ from }) => from)).toEqual([0, 1, 2].map((i) => timestamp(day + i * hourMicros)))
    expect(rows.flow.map(({ id }) => id)).toEqual(ids.slice(0, 3))
    expect((await state())?.watermark).toBe(day + 3 * hourMicros)
  })

  it('without rows have no manifest; the next manifest covers them (R6.2)', async () => {
    const { account, store, flush, state } = await newHours(1)
    const start = day + 5 * hourMicros
    await store(start + minute, flowReport(start, { end: start + 1 }))
    await flush(dueAt(day + 3 * hourMicros))
    expect(await state()).toMatchObject({ watermark: day + 4 * hourMicros, until: day + hourMicros, manifests: 1 })
    await flush(dueAt(start))
    const { manifests } = await readArchiveOf(account)
    expect(manifests.map(({ from, until }) => [from, until])).toEqual([
      [timestamp(day), timestamp(day + hourMicros)],
      [timestamp(day + hourMicros), timestamp(start + hourMicros)],
    ])
  })

  it('wait until the sessions and API requests of the hour are sealed (R3.3)', async () => {
    const { account, archived, state, ids } = await newHours(2)
    setClock(dueAt(day + hourMicros))
    await flushAccount(account, always)
    expect(await archived()).toEqual([])
    expect(await getItem(archiveStateKey(account))).not.toHaveProperty('lease')
    await setFields(account, { kind: 'seal', hour: day + hourMicros }, sealKey(account, 'activity'))
    await flushAccount(account, always)
    expect(await archived()).toEqual(ids.slice(0, 1))
    expect((await state())?.watermark).toBe(day + hourMicros)
  })

  it('are left to the next run after the deadline', async () => {
    const { flush, archived, ids } = await newHours(3)
    const requests = countRequests()
    await flush(dueAt(day + 2 * hourMicros), 30)
    const first = await archived()
    expect([first.length > 0, first.length < 3]).toEqual([true, true])
    expect(first).toEqual(ids.slice(0, first.length))
    requests.count = 0
    await flush(dueAt(day + 2 * hourMicros), 100)
    expect(await archived()).toEqual(ids)
  })

  it('without entries are passed even if each run has time for only a few', async () => {
    const { flush, state } = await newHours(1)
    await flush(dueAt(day))
    const requests = countRequests()
    await flush(dueAt(day + 9 * hourMicros), 20)
    const reached = (await state())?.watermark ?? 0
    expect(reached).toBeGreaterThan(day + hourMicros)
    requests.count = 0
    await flush(dueAt(day + 9 * hourMicros), 20)
    expect((await state())?.watermark).toBeGreaterThan(reached)
  })

  it('keep their first manifest when the run dies before it stores the state, and later hours have expired', async () => {
    vi.stubEnv('LOG_RETENTION_DAYS', '1')
    const { id } = await newAccount()
    const begin = hourStart(clock.now()) + 3 * dayMicros
    const flows = await newFlowAccount(id)
    await flows.store(begin, flowReport(begin, { end: begin + 1 }))
    const stopped = interceptTable(async (command, send) => {
      const { input } = command as { input: { Item?: { kind?: string } } }
      if (input.Item?.kind === 'archive_manifest') throw new Error('killed')
      return send(command)
    })
    await expect(flows.flush(dueAt(begin))).rejects.toThrow('killed')
    stopped.mockRestore()
    const log = catchLog('ERROR')
    await flows.flush(dueAt(begin + hourMicros))
    expect(log.text()).toBe('')
    const { rows } = await readArchiveOf(id)
    expect(rows.flow).toHaveLength(1)
    expect((await flows.state())?.watermark).toBe(begin + 2 * hourMicros)
  })
})

describe('archive_behind (R2.5)', () => {
  it.each([
    [3 * hourMicros, 0],
    [3 * hourMicros + 1, 1],
  ])('is reported %s microseconds after the end of the oldest hour %s times', async (delay, count) => {
    const { account, flush } = await newHours(5)
    await flush(dueAt(day))
    const log = catchLog('ERROR')
    await flush(day + 2 * hourMicros + delay)
    expect(log.lines().map(({ event, account_id, hour, hours }) => [event, account_id, hour, hours])).toEqual(
      Array(count).fill(['archive_behind', account, timestamp(day + hourMicros), 1]),
    )
  })

  it('is not reported before the first flush', async () => {
    const { flush } = await newHours(1)
    const log = catchLog('ERROR')
    await flush(day + 10 * hourMicros)
    expect(log.text()).toBe('')
  })
})

describe('the lease of an account (R3.1)', () => {
  it('keeps a second run from flushing at once', async () => {
    const { account, flush, archived, ids } = await newHours(3)
    await flush(dueAt(day))
    setClock(dueAt(day + 2 * hourMicros))
    await Promise.all([flushAccount(account, always), flushAccount(account, always), flushAccount(account, always)])
    expect(await archived()).toEqual(ids)
    expect(await getItem(archiveStateKey(account))).not.toHaveProperty('lease')
  })

  it('is not taken by a run that has read the state before another run flushed the account', async () => {
    const { account, flush, archived, ids } = await newHours(3)
    await flush(dueAt(day))
    setClock(dueAt(day + 2 * hourMicros))
    let isFirst = true
    const watermarks: unknown[] = []
    interceptTable(async (command, send) => {
      if (isFirst && command instanceof UpdateCommand) {
        isFirst = false
        await flushAccount(account, always)
      }
      if (command instanceof UpdateCommand && command.input.UpdateExpression?.includes('#watermark'))
        watermarks.push(command.input.ExpressionAttributeValues?.[':watermark'])
      return send(command)
    })
    await flushAccount(account, always)
    expect(await archived()).toEqual(ids)
    expect(watermarks).toEqual([2, 3].map((hours) => day + hours * hourMicros))
  })

  it('of another run is respected until it expires', async () => {
    const { account, flush, archived, ids } = await newHours(1)
    await setFields(account, { lease: 'other', lease_until: dueAt(day) + 1 })
    await flush(dueAt(day))
    expect(await archived()).toEqual([])
    expect(await getItem(archiveStateKey(account))).toMatchObject({ lease: 'other' })
    await flush(dueAt(day) + 2)
    expect(await archived()).toEqual(ids)
  })

  it('that was lost keeps a run from storing its state', async () => {
    const { account, flush, archived, ids, state } = await newHours(2)
    await flush(dueAt(day))
    const before = await state()
    let isTaken = false
    interceptTable(async (command, send) => {
      const { input } = command as { input: { Item?: { kind?: string } } }
      if (input.Item?.kind === 'archive_manifest' && !isTaken) {
        isTaken = true
        await setFields(account, { lease: 'other', lease_until: dueAt(day + 2 * hourMicros) })
      }
      return send(command)
    })
    await flush(dueAt(day + hourMicros))
    vi.restoreAllMocks()
    expect(await state()).toEqual(before)
    expect(await getItem(archiveStateKey(account))).toMatchObject({ lease: 'other' })
    await flush(dueAt(day + 2 * hourMicros) + 1)
    expect(await archived()).toEqual(ids)
  })

  it('is not taken without a due hour', async () => {
    const { account, flush } = await newHours(1)
    await flush(dueAt(day))
    setClock(dueAt(day) + 44 * minute)
    const commands = recordCommands()
    await flushAccount(account, always)
    const names = commands.map((command) => command.constructor.name)
    expect(new Set(names)).toEqual(new Set(['GetCommand', 'QueryCommand']))
  })
})
