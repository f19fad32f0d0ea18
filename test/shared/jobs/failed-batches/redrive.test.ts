import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PutRecordCommand } from '@aws-sdk/client-kinesis'
import type { KinesisStreamEvent } from 'aws-lambda'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { handler as storeFlowLogs } from '#functions/streams/store-flow-logs.ts'
import { openCheckpoint } from '#infra/local/lambda/checkpoints.ts'
import { failuresFolder, failureWriter } from '#infra/local/lambda/failures.ts'
import { kinesisSource } from '#infra/local/lambda/kinesis-source.ts'
import { pollShard } from '#infra/local/lambda/poller.ts'
import { createStream } from '#infra/local/service.ts'
import { readMapping } from '#infra/template/mapping.ts'
import { clock } from '#shared/core/clock.ts'
import { redrive } from '#shared/jobs/failed-batches/redrive.ts'
import { checkFlowReport } from '#shared/logs/flows/check-flow-report.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import { kinesis } from '#shared/logs/flows/flow-stream.ts'
import { pack } from '#shared/logs/flows/packing.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { newFlowGrant, openRecord } from '#test/support/logs/flows.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'redrive-test-'))
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(dir, { recursive: true, force: true })
})

const report = (port: number): FlowReport =>
  (checkFlowReport(openRecord({ inner_src_port: port })) as { report: FlowReport }).report
const keptFiles = () => readdirSync(join(dir, 'failed', 'store-flow-logs')).length
const invokeStore = (_arn: string, event: unknown) => storeFlowLogs(event as KinesisStreamEvent)

/** Delivers the records of a stream like the service's event source mapping, until all records are handled or discarded. */
async function poll(streamName: string, invoke: (event: KinesisStreamEvent) => Promise<unknown>, last: string) {
  const mapping = readMapping('M', {
    FunctionName: 'f',
    EventSourceArn: 's',
    StartingPosition: 'TRIM_HORIZON',
    BisectBatchOnFunctionError: true,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    DestinationConfig: { OnFailure: { Destination: 'arn:aws:s3:::bucket' } },
    MaximumRetryAttempts: 1,
  })
  const source = kinesisSource(streamName, 'arn:stream')
  const [shard = ''] = await source.shards()
  const checkpoint = openCheckpoint(dir, 'consumer')
  const ending = new AbortController()
  const running = pollShard(shard, {
    mapping,
    source,
    label: 'store-flow-logs',
    checkpoint,
    invoke: (event) => invoke(event as KinesisStreamEvent),
    storeFailure: failureWriter(dir, 'store-flow-logs', 'arn:function', source),
    signal: ending.signal,
    pauseMs: 1,
  })
  await vi.waitFor(() => expect(checkpoint.get(shard)).toBe(last), { timeout: 120_000 })
  ending.abort()
  await running
}

it('writes the failed records of a consumer to the log once the cause is fixed, and keeps poison records', async () => {
  const account = await newAccount()
  const grant = await newFlowGrant(account.id)
  const streamName = `redrive-${process.pid}`
  await createStream({ name: streamName, shards: 1 })
  const valid = [1, 2, 3].map((port) => pack(grant.claims(), clock.now(), [report(port)])[0] as Buffer)
  const put = async (data: Buffer) =>
    (await kinesis().send(new PutRecordCommand({ StreamName: streamName, PartitionKey: 'p', Data: data })))
      .SequenceNumber as string
  const first = await put(valid[0] as Buffer)
  const faulty = await put(valid[1] as Buffer)
  await put(Buffer.from('poison'))
  const last = await put(valid[2] as Buffer)
  expect(BigInt(last)).toBeGreaterThan(BigInt(first))

  const refuseFaulty = (event: KinesisStreamEvent) => {
    if (event.Records.some(({ kinesis }) => kinesis.sequenceNumber === faulty)) throw new Error('the table is away')
    return storeFlowLogs(event)
  }
  await poll(streamName, async (event) => refuseFaulty(event), last)
  const ports = async () => {
    const { body } = await account.call(listLogs, { query: { type: 'flow', begin: '2026-11-01T00:00:00Z' } })
    return body.data.map(({ inner_src_port }: { inner_src_port: number }) => inner_src_port).sort()
  }
  expect(await ports()).toEqual([1, 3])
  expect(keptFiles()).toBe(2)

  const batches = failuresFolder(dir)
  const result = await redrive({ batches, invoke: invokeStore })
  expect(result).toMatchObject({ redriven: 1, kept: [{ reason: 'The function reported a failed record.' }], left: 0 })
  expect(await ports()).toEqual([1, 2, 3])
  expect(keptFiles()).toBe(1)

  expect(await redrive({ batches, invoke: invokeStore })).toMatchObject({ redriven: 0, left: 0 })
  expect(await ports()).toEqual([1, 2, 3])
})

const batch = (functionArn: string, records: unknown[]) =>
  JSON.stringify({ requestContext: { functionArn }, payload: JSON.stringify({ Records: records }) })

function memory(contents: Record<string, string>) {
  const kept = new Map(Object.entries(contents))
  return {
    kept,
    list: async () => [...kept.keys()],
    read: async (name: string) => kept.get(name) as string,
    remove: async (name: string) => void kept.delete(name),
  }
}

it('invokes the function that failed on each batch', async () => {
  const batches = memory({ a: batch('arn:one', [1]), b: batch('arn:two', [2, 3]) })
  const handed: unknown[] = []
  const invoke = async (arn: string, { Records }: { Records: unknown[] }) => void handed.push([arn, Records])
  expect(await redrive({ batches, invoke })).toEqual({ redriven: 2, kept: [], left: 0 })
  expect(handed).toEqual([
    ['arn:one', [1]],
    ['arn:two', [2, 3]],
  ])
  expect(batches.kept.size).toBe(0)
})

it('processes all records of a batch except a poison one', async () => {
  const batches = memory({ a: batch('arn:one', [1, 2, 3]), b: batch('arn:one', [4]) })
  const stored = new Set<unknown>()
  const invoke = async (_arn: string, { Records }: { Records: unknown[] }) => {
    for (const record of Records) {
      if (record === 2) throw new Error('poison')
      stored.add(record)
    }
  }
  const result = await redrive({ batches, invoke })
  expect(result).toEqual({ redriven: 1, kept: [{ name: 'a', reason: '1 of 3 records failed again.' }], left: 0 })
  expect([...stored]).toEqual([1, 3, 4])
})

it('keeps objects that are not failed batches, and those that cannot be deleted', async () => {
  const batches = memory({ a: 'no json', b: '{"payload":"{}"}', c: 'null', d: batch('arn:one', [1]) })
  const remove = async () => Promise.reject(new Error('denied'))
  const result = await redrive({ batches: { ...batches, remove }, invoke: async () => null })
  expect(result.redriven).toBe(0)
  expect(result.kept.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd'])
})

it('stops at the deadline and returns the remaining number', async () => {
  const batches = memory({ a: batch('arn:one', [1]), b: batch('arn:one', [2]) })
  let requests = 0
  const result = await redrive({ batches, invoke: async () => null, hasTime: () => requests++ === 0 })
  expect(result).toEqual({ redriven: 1, kept: [], left: 1 })
  expect([...batches.kept.keys()]).toEqual(['b'])
})

it('finds the failed batches of a data directory in the order of their failure', async () => {
  const { mkdirSync } = await import('node:fs')
  for (const label of ['follow-up', 'write-change-log']) mkdirSync(join(dir, 'failed', label), { recursive: true })
  writeFileSync(join(dir, 'failed/write-change-log/2026-01-01.json'), '')
  writeFileSync(join(dir, 'failed/follow-up/2026-01-02.json'), '')
  expect(await failuresFolder(dir).list()).toEqual(['write-change-log/2026-01-01.json', 'follow-up/2026-01-02.json'])
  expect(await failuresFolder(join(dir, 'nothing')).list()).toEqual([])
})
