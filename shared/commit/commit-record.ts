import type { Subject } from '../core/subject.ts'
import type { Key } from '../table/keys.ts'
import type { Cascade } from './cascade.ts'
import type { Revocation } from './revoke.ts'
import type { WrittenRows } from './written-row.ts'

/** What a commit did to one row; secrets are redacted (L6.3). */
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
  /**
   * The number of its first change entry among all of the account (S1.2), or of the next one where it has none; null where
   * that was not known.
   */
  first_leaf: number | null
  subject: Subject | null
  /** The sync run that caused it (I4.7); missing where none did. */
  run_id?: string
  changes: Change[]
  /** All rows that it wrote, those whose changes are not logged included. `verify-rows` compares them with the table. */
  rows: WrittenRows
  revocations: Revocation[]
  cascades: Cascade[]
}

/** The form that records are written in. The one before had no number, and named only what there was (docs/evolution.md). */
const recordVersion = 2

export const commitItem = (key: Key, record: CommitRecord) => ({
  ...key,
  kind: 'commit',
  version: recordVersion,
  ...record,
})

/** The record in an item of the table or of its stream. @throws for a form that is neither today's nor the one before */
export function readCommitRecord({ version = 1, ...item }: Record<string, unknown>): CommitRecord {
  if (version !== 1 && version !== recordVersion) throw new Error(`Commit records of form ${version} are not known.`)
  const known: Pick<CommitRecord, 'first_leaf' | 'rows' | 'revocations' | 'cascades'> = {
    first_leaf: null,
    rows: {},
    revocations: [],
    cascades: [],
  }
  return { ...known, ...item } as CommitRecord
}
