import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtempSync, rmSync } from 'node:fs'
import type { ClientRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PutItemCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openCheckpoint } from '#infra/local/lambda/checkpoints.ts'
import { kinesisSource } from '#infra/local/lambda/kinesis-source.ts'
import { pollShard } from '#infra/local/lambda/poller.ts'
import { handleRequest } from '#infra/local/lambda/requests-in-progress.ts'
import { tableSource } from '#infra/local/lambda/table-source.ts'
import { watchWrites } from '#infra/local/lambda/wake.ts'
import { createStream, createTable } from '#infra/local/service.ts'
import { readMapping } from '#infra/template/mapping.ts'
import { table } from '#shared/table/table.ts'

const name = `engine-requests-${process.pid}`
/** Operations of the requests that pollers have sent to the engines. */
let requests: string[]
const count = (message: unknown) => {
  const { request } = message as { request: ClientRequest }
  const operation = String(request.getHeader('x-amz-target')).split('.')[1] ?? ''
  if (/GetRecords|GetShardIterator/.test(operation)) requests.push(operation)
}

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'engine-requests-'))
  requests = []
  subscribe('http.client.response.finish', count)
})
afterEach(() => {
  unsubscribe('http.client.response.finish', count)
  rmSync(dir, { recursive: true, force: true })
})

/** Starts two consumers of the table's stream and one of the flow stream. Each returned list contains one consumer's records. */
async function startConsumers() {
  const streamArn = await createTable({
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  })
  await createStream({ name, shards: 1 })
  const tableStream = tableSource(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', streamArn, 'arn:table')
  const sources = [tableStream, tableStream, kinesisSource(name, 'arn:flows')]
  const mapping = readMapping('M', { FunctionName: 'f', EventSourceArn: 's', StartingPosition: 'TRIM_HORIZON' })
  const ending = new AbortController()
  const stopWatching = watchWrites()
  const consumers = sources.map(async (source, i) => {
    const received: unknown[] = []
    const [shard = ''] = await source.shards()
    const running = pollShard(shard, {
      mapping,
      source,
      label: `consumer ${i}`,
      checkpoint: openCheckpoint(dir, `consumer-${i}`),
      invoke: async ({ Records }) => received.push(...Records),
      storeFailure: () => '',
      signal: ending.signal,
    })
    return { received, running }
  })
  const started = await Promise.all(consumers)
  return {
    received: started.map(({ received }) => received),
    async stop() {
      ending.abort()
      stopWatching()
      await Promise.all(started.map(({ running }) => running))
    },
  }
}

it('reads the streams only after writes, once for all consumers and once for the writes of 100 ms', async () => {
  const { received, stop } = await startConsumers()
  await vi.waitFor(() => expect(requests.length).toBeGreaterThanOrEqual(4))
  // Waits for the responses to the first reads, which find empty streams.
  await sleep(300)
  const writes = 100
  const [start, before] = [performance.now(), requests.length]
  for (let i = 0; i < writes; i++) {
    const Put = { TableName: name, Item: { pk: { S: String(i) } } }
    await table().send(new TransactWriteItemsCommand({ TransactItems: [{ Put }] }))
  }
  await vi.waitFor(() => expect(received.map(({ length }) => length)).toEqual([writes, writes, 0]), { interval: 5 })
  await sleep(150)
  const reads = requests.slice(before)
  // Allows one read at the start, and one for each consumer if the interval of one of them ends earlier.
  expect(reads.filter((operation) => operation === 'GetRecords').length).toBeLessThanOrEqual(
    3 + (performance.now() - start) / 100,
  )
  expect(reads.filter((operation) => operation === 'GetShardIterator').length).toBeLessThanOrEqual(1)

  const idle = requests.length
  await table().send(new PutItemCommand({ TableName: name, Item: { pk: { S: 'log entry' } } }))
  await sleep(1_000)
  expect(requests.length - idle).toBeLessThanOrEqual(2)
  // Waits for a write that woke no consumer, such as one of another process.
  await vi.waitFor(() => expect(received[0]).toHaveLength(writes + 1), { timeout: 20_000 })
  await stop()
})

it('reads the streams after the requests in progress, and at the latest after a second', async () => {
  const { received, stop } = await startConsumers()
  await vi.waitFor(() => expect(requests.length).toBeGreaterThanOrEqual(4))
  // Waits until the records of earlier tests have been read.
  await sleep(500)
  const earlier = received[0]?.length ?? 0
  const write = (pk: string) => {
    const Put = { TableName: name, Item: { pk: { S: pk } } }
    return table().send(new TransactWriteItemsCommand({ TransactItems: [{ Put }] }))
  }
  const before = requests.length
  await handleRequest(async () => {
    await write('first')
    await sleep(300)
    expect(requests.length - before).toBe(0)
  })
  await vi.waitFor(() => expect(received[0]).toHaveLength(earlier + 1), { interval: 5 })
  await handleRequest(async () => {
    await write('second')
    await vi.waitFor(() => expect(received[0]).toHaveLength(earlier + 2), { timeout: 10_000 })
    // Fills several pages. A consumer that is behind waits for the requests only before the first of them.
    for (let i = 0; i < 450; i += 90) {
      const puts = Array.from({ length: 90 }, (_, k) => ({
        Put: { TableName: name, Item: { pk: { S: `page ${i + k}` } } },
      }))
      await table().send(new TransactWriteItemsCommand({ TransactItems: puts }))
    }
    const start = performance.now()
    await vi.waitFor(() => expect(received[0]?.length).toBeGreaterThan(earlier + 2), { timeout: 10_000, interval: 5 })
    const first = performance.now()
    await vi.waitFor(() => expect(received[0]).toHaveLength(earlier + 452), { timeout: 10_000, interval: 5 })
    expect(performance.now() - first).toBeLessThan(1.5 * Math.max(first - start, 1_000))
  })
  await stop()
})
