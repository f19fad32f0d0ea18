import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openCheckpoint } from '#infra/local/lambda/checkpoints.ts'
import { failureWriter } from '#infra/local/lambda/failures.ts'
import { pollShard } from '#infra/local/lambda/poller.ts'
import type { Source, SourceRecord } from '#infra/local/lambda/source.ts'
import { WakeSignal } from '#infra/local/lambda/wake.ts'
import { readMapping } from '#infra/template/mapping.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'poller-test-'))
  // Silences the poller, which reports discarded records on the terminal.
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(dir, { recursive: true, force: true })
})

const record = (n: number, changes: Partial<SourceRecord> = {}): SourceRecord => ({
  sequence: String(n),
  createdAt: Date.now() / 1_000,
  event: { n, kind: n % 2 ? 'odd' : 'even' },
  key: String(n),
  bytes: 10,
  noop: false,
  ...changes,
})

function memorySource(records: SourceRecord[]): Source {
  const writes = new WakeSignal()
  return {
    kind: 'dynamodb',
    arn: 'arn:stream',
    writes,
    shards: async () => ['one'],
    async read(_, after, limit) {
      const later = records.filter(({ sequence }) => after === undefined || BigInt(sequence) > BigInt(after))
      return { records: later.slice(0, limit), isFull: later.length >= limit, count: writes.count }
    },
  }
}

type Received = Array<{ n: number }>

function start(records: SourceRecord[], handler: (batch: Received) => unknown, settings: object = {}) {
  const mapping = readMapping('M', {
    FunctionName: 'f',
    EventSourceArn: 's',
    StartingPosition: 'TRIM_HORIZON',
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    DestinationConfig: { OnFailure: { Destination: 'arn:aws:s3:::bucket' } },
    MaximumRetryAttempts: 1,
    ...settings,
  })
  const source = memorySource(records)
  const ending = new AbortController()
  const received: number[][] = []
  const running = pollShard('one', {
    mapping,
    source,
    label: 'consumer',
    checkpoint: openCheckpoint(dir, 'consumer'),
    async invoke({ Records }) {
      received.push((Records as Received).map(({ n }) => n))
      return handler(Records as Received)
    },
    storeFailure: failureWriter(dir, 'consumer', 'arn:function', source),
    signal: ending.signal,
    pauseMs: 1,
  })
  const stop = () => {
    ending.abort()
    return running
  }
  return { received, writes: source.writes, stop, position: () => openCheckpoint(dir, 'consumer').get('one') }
}

describe('a poller', () => {
  it('delivers records in batches, and resumes at its position after a restart', async () => {
    const records = [1, 2, 3, 4, 5].map((n) => record(n))
    const first = start(records, () => undefined, { BatchSize: 2 })
    await vi.waitFor(() => expect(first.position()).toBe('5'))
    await first.stop()
    expect(first.received).toEqual([[1, 2], [3, 4], [5]])
    records.push(record(10))
    const second = start(records, () => undefined)
    await vi.waitFor(() => expect(second.position()).toBe('10'))
    await second.stop()
    expect(second.received).toEqual([[10]])
  })

  it('repeats the delivery that was running when it stopped', async () => {
    const records = [record(1), record(2)]
    const first = start(records, () => new Promise((_, reject) => setTimeout(() => reject(new Error('killed')), 100)))
    await vi.waitFor(() => expect(first.received).toHaveLength(1), { interval: 5 })
    await first.stop()
    expect(first.position()).toBeUndefined()
    const second = start(records, () => undefined)
    await vi.waitFor(() => expect(second.received).toEqual([[1, 2]]))
    await second.stop()
  })

  it('skips filtered records and records without a change, and marks them as handled', async () => {
    const records = [record(1), record(2), record(3, { noop: true }), record(5), record(6)]
    const poller = start(records, () => undefined, { FilterCriteria: { Filters: [{ Pattern: '{"kind":["odd"]}' }] } })
    await vi.waitFor(() => expect(poller.position()).toBe('6'))
    await poller.stop()
    expect(poller.received).toEqual([[1, 5]])
  })

  it('stores the whole event of discarded records, and continues after them', async () => {
    const poison = (batch: Received) => {
      if (batch.some(({ n }) => n === 2)) throw new Error('poison')
    }
    const records = [record(1), record(2), record(3)]
    const poller = start(records, poison, { BisectBatchOnFunctionError: true })
    await vi.waitFor(() => expect(poller.position()).toBe('3'))
    await poller.stop()
    const folder = join(dir, 'failed', 'consumer')
    const [file, ...others] = readdirSync(folder)
    expect(others).toEqual([])
    const stored = JSON.parse(readFileSync(join(folder, file ?? ''), 'utf8'))
    expect(stored.requestContext).toMatchObject({ functionArn: 'arn:function', condition: 'RetryAttemptsExhausted' })
    expect(stored.DDBStreamBatchInfo).toMatchObject({ startSequenceNumber: '2', endSequenceNumber: '2', batchSize: 1 })
    expect(JSON.parse(stored.payload)).toEqual({ Records: [{ n: 2, kind: 'even' }] })
  })

  it('delivers lanes concurrently if the mapping is parallel', async () => {
    let running = 0
    let maxRunning = 0
    const records = Array.from({ length: 8 }, (_, i) => record(i + 1))
    const slow = async () => {
      maxRunning = Math.max(maxRunning, ++running)
      await new Promise((resolve) => setTimeout(resolve, 20))
      running--
    }
    const poller = start(records, slow, { ParallelizationFactor: 4, BatchSize: 2 })
    await vi.waitFor(() => expect(poller.position()).toBe('8'))
    await poller.stop()
    expect(maxRunning).toBeGreaterThan(1)
    expect(poller.received.flat().sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  it('delivers at most one batch at a time if all records have one key', async () => {
    const records = Array.from({ length: 9 }, (_, i) => record(i + 1, { key: 'one' }))
    const poller = start(records, () => undefined, { ParallelizationFactor: 4, BatchSize: 2 })
    await vi.waitFor(() => expect(poller.position()).toBe('9'))
    await poller.stop()
    expect(poller.received).toEqual([[1, 2], [3, 4], [5, 6], [7, 8], [9]])
  })

  it('reacts to a write at once, although it polls seldom while idle', async () => {
    const records: SourceRecord[] = []
    const poller = start(records, () => undefined)
    await new Promise((resolve) => setTimeout(resolve, 800))
    records.push(record(1))
    const before = performance.now()
    poller.writes.notify()
    await vi.waitFor(() => expect(poller.received).toHaveLength(1), { interval: 5 })
    expect(performance.now() - before).toBeLessThan(250)
    await poller.stop()
  })

  it('reports once that its position cannot be stored, handles no record twice, and stores the position later', async () => {
    const { path } = openCheckpoint(dir, 'consumer')
    mkdirSync(join(path, 'in the way'), { recursive: true })
    const records = [record(1)]
    const poller = start(records, () => undefined)
    const messages = () => vi.mocked(process.stderr.write).mock.calls.map(([text]) => String(text))
    await vi.waitFor(() => expect(messages().join()).toContain('consumer: '))
    rmSync(path, { recursive: true })
    await vi.waitFor(() => expect(poller.position()).toBe('1'))
    await poller.stop()
    expect(poller.received).toEqual([[1]])
    expect(messages()).toHaveLength(1)
  })

  it('stores the position of discarded records at once', async () => {
    const records = [record(1), record(2, { createdAt: 0 }), record(3, { createdAt: 0 })]
    const poller = start(records, () => undefined, { BatchSize: 1, MaximumRecordAgeInSeconds: 60 })
    await vi.waitFor(() => expect(readdirSync(join(dir, 'failed', 'consumer'))).toHaveLength(2), { interval: 1 })
    expect(poller.position()).toBe('3')
    await poller.stop()
  })
})
