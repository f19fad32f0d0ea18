import { describe, expect, it } from 'vitest'
import { type Delivery, type DiscardedBatch, deliver, splitIntoLanes } from '#infra/local/lambda/deliver.ts'
import type { SourceRecord } from '#infra/local/lambda/source.ts'

const record = (n: number, changes: Partial<SourceRecord> = {}): SourceRecord => ({
  sequence: String(n),
  createdAt: Date.now() / 1_000,
  event: { n },
  key: `k${n % 3}`,
  bytes: 10,
  noop: false,
  ...changes,
})

const records = (count: number) => Array.from({ length: count }, (_, i) => record(i + 1))

type Outcome = (batch: number[]) => unknown

function setUp(outcome: Outcome, mapping: Partial<Delivery['mapping']> = {}) {
  const batches: number[][] = []
  const discarded: DiscardedBatch[] = []
  const handled: string[] = []
  const stopping = new AbortController()
  const delivery: Delivery = {
    mapping: { bisect: false, maxRetries: 2, maxAgeSeconds: -1, reportsItemFailures: true, ...mapping },
    async invoke({ Records }) {
      const batch = Records.map((item) => (item as { n: number }).n)
      batches.push(batch)
      return outcome(batch)
    },
    async discard(discard) {
      discarded.push(discard)
    },
    markHandled: ({ sequence }) => {
      handled.push(sequence)
    },
    signal: stopping.signal,
    pauseMs: 1,
  }
  const given = () => discarded.map(({ condition, records: list }) => [condition, list.map(({ sequence }) => sequence)])
  return { batches, discarded, given, handled, stopping, run: (list: SourceRecord[]) => deliver(list, delivery) }
}

const fails = (bad: number) => (batch: number[]) => {
  if (batch.includes(bad)) throw new Error('poison')
}
const reports = (bad: number) => (batch: number[]) =>
  batch.includes(bad) ? { batchItemFailures: [{ itemIdentifier: String(bad) }] } : { batchItemFailures: [] }

describe('a batch is delivered as an event source mapping does', () => {
  it('delivers it once if the function succeeds', async () => {
    const { batches, handled, given, run } = setUp(() => undefined)
    await run(records(4))
    expect({ batches, handled, given: given() }).toEqual({ batches: [[1, 2, 3, 4]], handled: ['4'], given: [] })
  })

  it('retries a whole batch if the function throws, and then discards it', async () => {
    const { batches, handled, given, discarded, run } = setUp(fails(2))
    await run(records(3))
    expect(batches).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ])
    expect(given()).toEqual([['RetryAttemptsExhausted', ['1', '2', '3']]])
    expect(discarded[0]).toMatchObject({ invocations: 3, error: expect.stringContaining('poison') })
    expect(handled).toEqual(['3'])
  })

  it('retries from the lowest reported record, and discards it with all later ones', async () => {
    const { batches, given, handled, run } = setUp(reports(3), { maxRetries: 1 })
    await run(records(4))
    expect(batches).toEqual([
      [1, 2, 3, 4],
      [3, 4],
      [3, 4],
    ])
    expect(given()).toEqual([['RetryAttemptsExhausted', ['3', '4']]])
    expect(handled).toEqual(['2', '4'])
  })

  it('bisects a failing batch until the bad record is isolated', async () => {
    const { given, handled, run } = setUp(fails(3), { bisect: true, maxRetries: 1 })
    await run(records(8))
    expect(given()).toEqual([['RetryAttemptsExhausted', ['3']]])
    expect(handled.at(-1)).toBe('8')
    expect(handled).toEqual([...handled].sort())
  })

  it('isolates a reported record and delivers the later ones', async () => {
    const { batches, given, run } = setUp(reports(2), { bisect: true, maxRetries: 0 })
    await run(records(4))
    expect(given()).toEqual([['RetryAttemptsExhausted', ['2']]])
    expect(batches.flat()).toEqual(expect.arrayContaining([1, 2, 3, 4]))
  })

  it('treats an unknown record in the report as a failure of the whole batch', async () => {
    const { batches, run } = setUp((batch) => (batch.length && { batchItemFailures: [{ itemIdentifier: '' }] }) || {}, {
      maxRetries: 1,
    })
    await run(records(2))
    expect(batches).toEqual([
      [1, 2],
      [1, 2],
    ])
  })

  it('ignores the report if the mapping does not enable it', async () => {
    const { batches, given, run } = setUp(reports(1), { reportsItemFailures: false })
    await run(records(2))
    expect(batches).toEqual([[1, 2]])
    expect(given()).toEqual([])
  })

  it('discards nothing if a retry succeeds', async () => {
    let calls = 0
    const { batches, given, run } = setUp(() => {
      if (++calls < 3) throw new Error('for now')
    })
    await run(records(1))
    expect(batches).toHaveLength(3)
    expect(given()).toEqual([])
  })

  it('discards records that are too old before it calls the function', async () => {
    const { batches, given, run } = setUp(() => undefined, { maxAgeSeconds: 60 })
    await run([record(1, { createdAt: Date.now() / 1_000 - 120 }), record(2)])
    expect(batches).toEqual([[2]])
    expect(given()).toEqual([['RecordAgeExceeded', ['1']]])
  })

  it('does not report a failing batch as handled when the service stops', async () => {
    const { handled, given, stopping, run } = setUp(
      () => {
        stopping.abort()
        throw new Error('no')
      },
      { maxRetries: -1 },
    )
    await expect(run(records(2))).rejects.toThrow()
    expect({ handled, given: given() }).toEqual({ handled: [], given: [] })
  })
})

it('keeps the records of a key in one lane, in order', () => {
  const lanes = splitIntoLanes(records(9), 4)
  for (const key of ['k0', 'k1', 'k2']) {
    const having = lanes.filter((lane) => lane.some((item) => item.key === key))
    expect(having).toHaveLength(1)
    const sequences = having[0]?.filter((item) => item.key === key).map(({ sequence }) => sequence)
    expect(sequences).toEqual([...(sequences ?? [])].sort())
  }
  expect(splitIntoLanes(records(3), 1)).toHaveLength(1)
})
