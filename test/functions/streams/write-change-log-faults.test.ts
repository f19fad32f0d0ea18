import type { DynamoDBRecord } from 'aws-lambda'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { handler as deleteGroup } from '#functions/api/groups/delete-group.ts'
import { handler as updateGroup } from '#functions/api/groups/update-group.ts'
import { handler } from '#functions/streams/write-change-log.ts'
import { handler as verify } from '#functions/tasks/verify-change-log.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import type { Damage } from '#shared/logs/verify-change-log.ts'
import { SeededRandom } from '#test/simulation/world/seeded-random.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { readCommits, toStreamRecord } from '#test/support/logs/commit-stream.ts'
import { deliverAll } from '#test/support/logs/deliver-all.ts'
import { seedOf } from '#test/support/run/seeds.ts'
import { crashAfter, failTable, inserts } from '#test/support/table/table-faults.ts'

type Account = Awaited<ReturnType<typeof newAccount>>
let account: Account

beforeEach(async () => {
  account = await newAccount({ limits: { api_capacity: 1_000_000, api_refill_rate: 1_000_000 } })
})
afterEach(() => {
  vi.restoreAllMocks()
})

const failures = async (records: DynamoDBRecord[]) =>
  (await handler({ Records: records })).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)
const streamed = async (of = account) =>
  (await readCommits(of.id)).map((commit) => toStreamRecord(commit) as DynamoDBRecord)
const sequenceOf = ({ dynamodb }: DynamoDBRecord) => dynamodb?.SequenceNumber ?? ''

async function verified(of = account) {
  const answer = await verify({ account_id: of.id, end: timestamp(clock.now()) } as never)
  return (answer as { data: { entries: number; damages: Damage[] } }).data
}

async function expectWhole(of = account): Promise<void> {
  const changes = (await readCommits(of.id)).reduce((sum, commit) => sum + commit.changes.length, 0)
  expect(await verified(of)).toMatchObject({ entries: changes, damages: [] })
}

async function writeTogether(writers: number, rounds: number): Promise<void> {
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let round = 0; round < rounds; round++) {
        const group = { name: `Group ${writer}.${round}` }
        const { body } = await account.call(createGroup, { method: 'POST', body: { group } })
        const params = { id: body.data.id as string }
        const renamed = { group: { name: `${group.name} renamed` } }
        expect((await account.call(updateGroup, { method: 'PATCH', params, body: renamed })).status).toBe(200)
        if (round % 2 === 0) await account.call(deleteGroup, { method: 'DELETE', params })
      }
    }),
  )
}

describe('a consumer that dies', () => {
  it('between any two entries leaves an intact log after its next delivery', async () => {
    const problems: string[] = []
    for (const isResponseLost of [false, true]) {
      for (let writes = 0, died = true; died; writes++) {
        // Creates an account per interruption, because creating an account is one commit of many changes.
        const fresh = await newAccount()
        await fresh.call(createGroup, { method: 'POST', body: { group: { name: 'Engineering' } } })
        const records = await streamed(fresh)
        crashAfter(writes, { isResponseLost })
        died = (await failures(records)).length > 0
        vi.restoreAllMocks()
        // The consumer indexes names at the same time, so it can also die after the last entry.
        if (died && !isResponseLost) problems.push(...(await verified(fresh)).damages.map(({ problem }) => problem))
        expect(await failures(records)).toEqual([])
        await expectWhole(fresh)
      }
    }
    expect(new Set(problems)).toEqual(new Set(['missing']))
  })

  it('again and again under concurrent writers loses and duplicates no entry, and keeps the order of commits', async () => {
    const random = new SeededRandom(seedOf('PROPERTY_SEED'))
    await writeTogether(5, 4)
    const records = await streamed()
    for (let at = 0; at < records.length; ) {
      const batch = records.slice(at, at + random.int(1, 8))
      if (random.chance(0.6)) crashAfter(random.int(0, 7), { isResponseLost: random.chance(0.5) })
      const [failed] = await failures(batch)
      vi.restoreAllMocks()
      if (failed === undefined) at += batch.length
      // Delivers up to two records before the failed one again, because the checkpoint of the stream may be older.
      else at = Math.max(0, at + batch.findIndex((one) => sequenceOf(one) === failed) - random.int(0, 2))
    }
    await expectWhole()
  })
})

it('has the same entries for any order, repetition and delay of deliveries', async () => {
  await writeTogether(2, 3)
  const records = await streamed()
  await failures(records)
  await expectWhole()
  const again = fc.shuffledSubarray(records, { minLength: 1 })
  await fc.assert(
    fc.asyncProperty(again, async (late) => {
      expect(await failures([...late, ...late])).toEqual([])
      await expectWhole()
    }),
    { numRuns: 6 },
  )
})

describe('an entry that the table refuses', () => {
  it.each(['ProvisionedThroughputExceededException', 'ThrottlingException', 'InternalServerError', 'TimeoutError'])(
    'with %s fails its commit, and is stored at the next delivery',
    async (name) => {
      await writeTogether(1, 2)
      const records = await streamed()
      let writes = 0
      failTable(name, (command) => inserts('#log.change#')(command) && ++writes === 2)
      const [failed] = await failures(records)
      vi.restoreAllMocks()
      const position = records.findIndex((one) => sequenceOf(one) === failed)
      expect(position).toBeGreaterThanOrEqual(0)
      expect(await failures(records.slice(position))).toEqual([])
      await expectWhole()
    },
  )
})

describe('a poison record', () => {
  const damaged: [string, unknown][] = [
    ['no item at all', undefined],
    ['no changes', { kind: { S: 'commit' }, account_id: { S: 'x' }, time: { N: '1' } }],
    ['changes that are damaged bytes', { changes: { M: { zstd: { B: 'AAAA' } } }, time: { N: '1' } }],
    ['a time beyond the range of log ids', { account_id: { S: 'x' }, time: { N: '-1' }, changes: { L: [{ M: {} }] } }],
  ]
  it.each(damaged)(
    'with %s is given up alone, and verify finds no fault in the other entries',
    async (_name, NewImage) => {
      await writeTogether(2, 2)
      const records = await streamed()
      const poison = {
        eventName: 'INSERT',
        dynamodb: { SequenceNumber: 'poison', NewImage },
      } as unknown as DynamoDBRecord
      const middle = records.length >> 1
      const batch = [...records.slice(0, middle), poison, ...records.slice(middle)]
      expect(await deliverAll(batch, sequenceOf, handler)).toEqual(['poison'])
      await expectWhole()
    },
  )

  it('of a damaged commit is reported by verify, and its entries follow with the redrive', async () => {
    await writeTogether(1, 2)
    const records = await streamed()
    const middle = records.length >> 1
    const valid = records[middle] as DynamoDBRecord
    const bad = { ...valid, dynamodb: { ...valid.dynamodb, NewImage: { changes: { S: 'damaged' } } } } as DynamoDBRecord
    expect(await deliverAll(records.with(middle, bad), sequenceOf, handler)).toEqual([sequenceOf(valid)])
    const { damages } = await verified()
    expect(damages.map(({ problem }) => problem)).toEqual(['missing'])
    expect(await failures([valid])).toEqual([])
    await expectWhole()
  })
})
