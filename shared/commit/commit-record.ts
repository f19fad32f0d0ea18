import { createHash } from 'node:crypto'
import { sortedJson } from '../core/json/json.ts'
import type { Subject } from '../core/subject.ts'
import { commitKey, type Key, partition } from '../table/keys.ts'
import { itemsOf, queryItems, type Range } from '../table/read.ts'
import type { Revocation } from './revoke.ts'

/** The change of one row by a commit; secrets are redacted (L6.3). */
export type Change = {
  object: string
  operation: 'insert' | 'update' | 'delete'
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

/** A commit on record: its changes, who ordered them, and the work left over. The change log and `follow-up` read it. */
export type CommitRecord = {
  account_id: string
  commit_id: string
  sequence: number
  /** The account's clock, in microseconds. */
  time: number
  /** Number of its first change entry among all of the account (S1.2), or of the next one where it has none. */
  first_leaf: number
  subject: Subject | null
  /** The sync run that caused it (I4.7); missing where none did. */
  run_id?: string
  changes: Change[]
  /** All rows that it wrote, those whose changes are not logged included. `verify-rows` compares them with the table. */
  rows: WrittenRows
  revocations: Revocation[]
  follow_ups: FollowUp[]
}

/** The form that records are written in (docs/evolution.md). */
const recordVersion = 1

export const commitItem = (key: Key, record: CommitRecord) => ({
  ...key,
  kind: 'commit',
  version: recordVersion,
  ...record,
})

/** The record in an item of the table or of its stream. @throws for a form that is not known */
export function readCommitRecord({ version, ...item }: Record<string, unknown>): CommitRecord {
  if (version !== recordVersion) throw new Error(`Commit records of form ${version} are not known.`)
  return item as CommitRecord
}

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

/** The rows that a commit wrote, by their names: the digest of the item of each, null for one that it deleted. */
export type WrittenRows = Record<string, string | null>

/** The name of a row in a commit record: its key without the account. */
export const rowName = ({ pk, sk }: Key): string => `${pk.slice(pk.indexOf('#') + 1)}#${sk}`

/** The key of a row that a commit record names. */
export function namedRow(account: string, name: string): Key {
  const at = name.lastIndexOf('#')
  return { pk: partition(account, name.slice(0, at)), sk: name.slice(at + 1) }
}

/** Digest of a stored row, with the random id of its commit: equal rows differ, and no item can be prepared. */
export const rowDigest = (commitId: string, item: Key & Record<string, unknown>): string =>
  createHash('sha256')
    .update(`${commitId}\n${sortedJson(item)}`)
    .digest()
    .subarray(0, 16)
    .toString('base64url')

/**
 * Work that a commit leaves to the follow-up consumer: rows below a deleted object (A29), or the rest of a set of
 * members (A15.6). `change` is the id of a set's change; a later one is not finished in its name.
 */
export type FollowUp = { below: string; id: string; change?: string }
