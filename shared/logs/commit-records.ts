import { type CommitRecord, readCommitRecord } from '../commit/commit-record.ts'
import { commitKey } from '../table/keys.ts'
import { itemsOf, queryItems, type Range } from '../table/read.ts'

const records = async (account: string, range: Range) =>
  (await queryItems(commitKey(account, 0).pk, range)).map(readCommitRecord)

/** The first sequence whose commit is at `begin` or later: times and sequences of commits grow together. */
async function firstSequence(account: string, begin: number): Promise<number> {
  const [last] = await records(account, { backward: true, limit: 1 })
  let [low, high] = [1, (last?.sequence ?? 0) + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [commit] = await records(account, { after: commitKey(account, middle - 1).sk, limit: 1 })
    if (commit && commit.time < begin) low = commit.sequence + 1
    else high = middle
  }
  return low
}

/** The commit records of an account in `[begin, end]`, in their order. */
export async function* commitRecords(account: string, begin: number, end: number): AsyncGenerator<CommitRecord> {
  const { pk, sk } = commitKey(account, (await firstSequence(account, begin)) - 1)
  for await (const item of itemsOf(pk, { after: sk })) {
    const commit = readCommitRecord(item)
    if (commit.time > end) return
    if (commit.time >= begin) yield commit
  }
}
