import type { DynamoDBStreamEvent, KinesisStreamEvent } from 'aws-lambda'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { handler as pulse } from '#functions/schedules/pulse.ts'
import { handler as followUp } from '#functions/streams/follow-up.ts'
import { handler as storeFlowLogs } from '#functions/streams/store-flow-logs.ts'
import { handler as writeChangeLog } from '#functions/streams/write-change-log.ts'
import { pulseKey } from '#shared/jobs/pulse/pulse.ts'
import { emptyPack, unpack } from '#shared/logs/flows/packing.ts'
import { openChannel } from '#test/support/access/live.ts'
import { toStreamRecord } from '#test/support/logs/commit-stream.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'
import { failTable } from '#test/support/table/table-faults.ts'

let ownTable: Awaited<ReturnType<typeof useOwnTable>>
let requestedUrls: string[]
let status: number
beforeEach(async () => {
  ownTable = await useOwnTable()
  requestedUrls = []
  status = 308
  vi.stubEnv('SERVICE_URL', 'https://access.example.com/')
  const fetched = globalThis.fetch
  vi.stubGlobal('fetch', async (url: string | URL, ...rest: [RequestInit?]) => {
    if (!String(url).startsWith('https://access.example.com')) return fetched(url, ...rest)
    requestedUrls.push(String(url))
    return new Response(null, { status })
  })
})
afterEach(async () => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  await ownTable.end()
})

it('replaces the empty commit, which the consumers process without effect', async () => {
  await pulse()
  const [first] = await ownTable.items()
  await pulse()
  const items = await ownTable.items()
  expect(items).toHaveLength(1)
  expect(items[0]).toMatchObject({ ...pulseKey, kind: 'commit', changes: [], revocations: [], follow_ups: [] })
  expect(Number(items[0]?.time)).toBeGreaterThan(Number(first?.time))
  const event = { Records: items.map(toStreamRecord) } as unknown as DynamoDBStreamEvent
  for (const consumer of [writeChangeLog, followUp]) expect(await consumer(event)).toEqual({ batchItemFailures: [] })
  expect(await ownTable.items()).toEqual(items)
})

it('puts a pack without flows into the flow stream', async () => {
  const data = emptyPack(1_000)
  expect(unpack(data)).toMatchObject({ claims: {}, ingested_at: 1_000, rows: [] })
  const event = { Records: [{ kinesis: { data: data.toString('base64'), sequenceNumber: '1' } }] }
  expect(await storeFlowLogs(event as KinesisStreamEvent)).toEqual({ batchItemFailures: [] })
  expect(await ownTable.items()).toEqual([])
})

it('calls the API at its public address', async () => {
  await pulse()
  expect(requestedUrls).toEqual(['https://access.example.com/openapi'])
})

it('opens a handshake of the live channel, which the function refuses', async () => {
  const channel = await openChannel()
  await pulse()
  await channel.stop()
  vi.stubEnv('LIVE_URL', channel.url)
  await expect(pulse()).rejects.toThrow('Some parts of the service did not respond to the pulse.')
})

it("prints no line in the local server's terminal, unlike a refused device", async () => {
  const channel = await openChannel()
  vi.stubEnv('LOG_FORMAT', 'text')
  const log = catchLog()
  await pulse()
  expect(log.text()).toBe('')
  await channel.connect('nobody', 'session').catch(() => undefined)
  expect(log.text()).toMatch(/^\S+ live \$connect 401 .*\n$/)
  await channel.stop()
})

it('checks the other parts if one fails, and then fails', async () => {
  const log = catchLog()
  status = 502
  await expect(pulse()).rejects.toThrow('Some parts of the service did not respond to the pulse.')
  expect(await ownTable.items()).toHaveLength(1)
  failTable('AccessDeniedException', (command) => command.constructor.name === 'TransactWriteCommand')
  await expect(pulse()).rejects.toThrow()
  expect(requestedUrls).toHaveLength(2)
  const errors = log.lines().map(({ event, error_count }) => [event, error_count])
  expect(errors).toEqual([
    ['run_failed', 1],
    ['run_failed', 2],
  ])
})
