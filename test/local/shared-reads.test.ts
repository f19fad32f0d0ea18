import { expect, it } from 'vitest'
import { sharedReads } from '#infra/local/pollers/shared-reads.ts'
import type { SourceRecord } from '#infra/local/pollers/source.ts'

/** A shard whose reads are noted, and can be made to fail. */
function shard(count: number) {
  const record = (n: number) => ({ sequence: String(n) }) as SourceRecord
  const records = Array.from({ length: count }, (_, i) => record(i + 1))
  const asked: (string | undefined)[] = []
  let broken = false
  const source = sharedReads({
    kind: 'dynamodb',
    arn: 'arn:stream',
    shards: async () => ['one'],
    async read(_, after, limit) {
      asked.push(after)
      if (broken) throw new Error('away')
      return records.filter(({ sequence }) => Number(sequence) > Number(after ?? 0)).slice(0, limit)
    },
  })
  const readOn = async (after?: string) => (await source.read('one', after, 100)).map(({ sequence }) => sequence)
  return {
    asked,
    readOn,
    append: () => records.push(record(records.length + 1)),
    fail: (fails: boolean) => {
      broken = fails
    },
    async readAll() {
      const all: string[] = []
      for (let page = await readOn(); page.length > 0; page = await readOn(all.at(-1))) all.push(...page)
      return all
    },
  }
}

it('asks once for what two consumers read beside each other', async () => {
  const { asked, readAll } = shard(1_000)
  const [one, other] = await Promise.all([readAll(), readAll()])
  expect(other).toEqual(one)
  expect(one).toHaveLength(1_000)
  // Nothing is kept of the end of a shard.
  expect(asked.filter((after) => after !== '1000').length).toBe(new Set(asked).size - 1)
})

it('gives all to a consumer that is far behind', async () => {
  const { readAll } = shard(2_000)
  expect(await readAll()).toHaveLength(2_000)
  expect(await readAll()).toHaveLength(2_000)
})

it('sees what is appended at the end, and asks again after a failure', async () => {
  const { readOn, append, fail } = shard(1)
  expect(await readOn('1')).toEqual([])
  append()
  fail(true)
  await expect(readOn('1')).rejects.toThrow('away')
  fail(false)
  expect([await readOn('1'), await readOn('1')]).toEqual([['2'], ['2']])
})
