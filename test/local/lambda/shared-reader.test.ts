import { expect, it } from 'vitest'
import { type SourceRecord, sharedReader } from '#infra/local/lambda/source.ts'
import { WakeSignal } from '#infra/local/lambda/wake.ts'

const record = (n: number): SourceRecord => ({
  sequence: String(n),
  createdAt: 0,
  event: { n },
  key: 'k',
  bytes: 1,
  noop: false,
})

/** Engine whose iterators are positions. Records each request, and fails the requests for which `fails` returns true. */
function setUp(records: SourceRecord[], fails: () => boolean = () => false) {
  const requests: string[] = []
  const writes = new WakeSignal()
  const read = sharedReader(
    {
      async createIterator(_shard, after = '0') {
        requests.push(`iterator ${after}`)
        return after
      },
      async getRecords(iterator, limit) {
        requests.push(`records ${iterator}`)
        const page = records.filter(({ sequence }) => Number(sequence) > Number(iterator)).slice(0, limit)
        await Promise.resolve()
        if (fails()) throw new Error('engine')
        // Returns a wrong iterator for an empty page, as the Kinesis engine may.
        return { records: page, next: page.at(-1)?.sequence ?? '1000' }
      },
    },
    writes,
  )
  const readSequences = async (after: string | undefined) =>
    (await read('shard', after, 2)).records.map(({ sequence }) => sequence)
  return { requests, writes, readPage: (after: string | undefined) => read('shard', after, 2), read: readSequences }
}

it('reads consecutive pages with one request each, and shares each with a second consumer', async () => {
  const records = [1, 2, 3].map(record)
  const { requests, read } = setUp(records)
  const [first, joined] = await Promise.all([read(undefined), read(undefined)])
  expect([first, joined]).toEqual([
    ['1', '2'],
    ['1', '2'],
  ])
  expect([await read('2'), await read('2'), await read('3')]).toEqual([['3'], ['3'], []])
  records.push(record(4))
  expect(await read('3')).toEqual(['4'])
  expect(requests).toEqual(['iterator 0', 'records 0', 'records 2', 'records 3', 'records 3'])
})

it('lets a consumer that is behind read its own position, and the other consumer use its page', async () => {
  const { requests, read } = setUp([1, 2, 3, 4, 5].map(record))
  await read(undefined)
  await read('2')
  expect([await read('1'), await read('2'), await read('3')]).toEqual([['2', '3'], ['3'], ['4', '5']])
  expect(requests.filter((request) => request.startsWith('records'))).toEqual([
    'records 0',
    'records 2',
    'records 1',
    'records 3',
  ])
})

it('returns the number of writes before the request, so that no consumer waits for a write that its page lacks', async () => {
  const records = [record(1)]
  const { writes, readPage } = setUp(records)
  const first = await readPage(undefined)
  records.push(record(2))
  writes.notify()
  const shared = await readPage(undefined)
  expect([shared.records.length, shared.isFull, shared.count]).toEqual([1, false, 0])
  expect(shared).toEqual(first)
  const second = await readPage('1')
  expect([second.records.length, second.count]).toEqual([1, 1])
})

it('shares no failed read, and creates a new iterator after it', async () => {
  let failures = 1
  const { requests, read } = setUp([record(1)], () => failures-- > 0)
  await expect(read(undefined)).rejects.toThrow('engine')
  expect(await read(undefined)).toEqual(['1'])
  expect(requests).toEqual(['iterator 0', 'records 0', 'iterator 0', 'records 0'])
})
