import { createHash } from 'node:crypto'
import { clock } from '../core/clock.ts'
import { sortedJson } from '../core/json/json.ts'
import type { Subject } from '../core/subject.ts'
import { commitKey, type Key, partition } from '../table/keys.ts'
import { getItem, itemsOf, queryItems, type Range, type StoredItem } from '../table/read.ts'
import type { Revocation } from './revoke.ts'

/** Change of one row by a commit. Secrets are redacted (L6.3). */
export type Change = {
  object: string
  operation: 'insert' | 'update' | 'delete'
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

/** Stored record of a commit, which the change log and the consumer `follow-up` read. */
export type CommitRecord = {
  account_id: string
  commit_id: string
  sequence: number
  /** Time of the commit on the account's clock, in microseconds. */
  time: number
  /** Index of the commit's first change entry in the account's change log (S1.2), or of the next entry when it has none. */
  first_leaf: number
  subject: Subject | null
  run_id?: string
  changes: Change[]
  /** Digests of all rows written, including rows whose changes are not logged. `verify-rows` compares them with the table. */
  rows: WrittenRows
  revocations: Revocation[]
  follow_ups: FollowUp[]
}

/** Schema version of commit records (docs/evolution.md). */
const recordVersion = 1

export const commitItem = (key: Key, record: CommitRecord) => ({
  ...key,
  kind: 'commit',
  version: recordVersion,
  ...record,
})

/** Parses the commit record in an item of the table or of its stream. @throws Error for an unknown schema version */
export function readCommitRecord({ version, ...item }: Record<string, unknown>): CommitRecord {
  if (version !== recordVersion) throw new Error(`Commit records of version ${version} are not supported.`)
  return item as CommitRecord
}

const records = async (account: string, range: Range) =>
  (await queryItems(commitKey(account, 0).pk, range)).map(readCommitRecord)

/** Finds the sequence number of the first commit at or after `begin`, by binary search. Commit times increase with it. */
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

/** Pause before a second read, because items written in one transaction can become visible several milliseconds apart. */
export const settleMs = 500

/**
 * Reads the records from `first` to before `end` that a query has omitted, although it has returned the record `end`: the commits of one
 * transaction become visible one after the other. Ends at a record that is really missing.
 */
export async function* omittedRecords(account: string, first: number, end: number): AsyncGenerator<StoredItem> {
  for (let sequence = first; sequence < end; sequence++) {
    let item = await getItem(commitKey(account, sequence))
    if (!item) {
      await clock.sleep(settleMs)
      item = await getItem(commitKey(account, sequence))
    }
    if (!item) return
    yield item
  }
}

async function* recordsFrom(account: string, first: number): AsyncGenerator<CommitRecord> {
  const { pk, sk } = commitKey(account, first - 1)
  let next = first
  for await (const item of itemsOf(pk, { after: sk })) {
    const record = readCommitRecord(item)
    for await (const earlier of omittedRecords(account, next, record.sequence)) yield readCommitRecord(earlier)
    yield record
    next = record.sequence + 1
  }
}

/** Yields an account's commit records with a time in `[begin, end]` (microseconds), in commit order. */
export async function* commitRecords(account: string, begin: number, end: number): AsyncGenerator<CommitRecord> {
  for await (const commit of recordsFrom(account, await firstSequence(account, begin))) {
    if (commit.time > end) return
    if (commit.time >= begin) yield commit
  }
}

/** Maps the name of a row to the digest of the written item; null for a deleted row. */
export type WrittenRows = Record<string, string | null>

/** Name of a row in a commit record: the row's key without the account id. */
export const rowName = ({ pk, sk }: Key): string => `${pk.slice(pk.indexOf('#') + 1)}#${sk}`

/** Returns the key of a row from its name in a commit record. Inverse of `rowName`. */
export function namedRow(account: string, name: string): Key {
  const at = name.lastIndexOf('#')
  return { pk: partition(account, name.slice(0, at)), sk: name.slice(at + 1) }
}

/** Digest of a stored row. The random commit id is the salt, so that nobody can prepare an item with a given digest. */
export const rowDigest = (commitId: string, item: Key & Record<string, unknown>): string =>
  createHash('sha256')
    .update(`${commitId}\n${sortedJson(item)}`)
    .digest()
    .subarray(0, 16)
    .toString('base64url')

/**
 * Work that a commit leaves to the follow-up consumer: deleting the rows below a deleted object (A29), or writing the remaining members of
 * a large set (A15.6). `change` is the id of a set's change, which the consumer skips once a later change exists.
 */
export type FollowUp = { below: string; id: string; change?: string }
