import * as v from 'valibot'
import { namedRow, omittedRecords, settleMs } from '../../commit/commit-record.ts'
import { clock } from '../../core/clock.ts'
import { fieldsOf } from '../../core/json/is-object.ts'
import { commitKey } from '../../table/keys.ts'
import { type Consistency, getStoredItems, storedPages } from '../../table/read.ts'
import { isKey, unpacked } from './derived-items.ts'
import { findingAt, type RowFinding } from './row-origin.ts'

const rowsPerRead = 500

/** Maximum number of differing rows that one pass keeps in memory. More rows require another pass. */
export const maxOpenRows = 20_000

/** Progress of the walk over an account's commits. */
export const Walk = v.strictObject({
  account: v.string(),
  /** Sequence of the last commit that the walk has read. */
  after: v.number(),
  /** Range of row names that this pass covers: `from` inclusive, `until` exclusive, null for no upper bound. */
  from: v.string(),
  until: v.nullable(v.string()),
  /** Rows that differ from the commits read so far, each with the sequence of its last commit. A negative sequence means a deletion. */
  open: v.record(v.string(), v.number()),
})
export type Walk = v.InferOutput<typeof Walk>

export const walkOf = (account: string): Walk => ({ account, after: 0, from: '', until: null, open: {} })

type StoredRow = Record<string, unknown> | undefined

/** True if a row has the state written by the commit `sequence` or by a later one. A negative `sequence` means a deletion. */
function agrees(row: StoredRow, sequence: number): boolean {
  const commit = typeof row?.commit === 'number' ? row.commit : -1
  return sequence > 0 ? commit >= sequence : row === undefined || commit > -sequence
}

/** Reads the sort keys and written rows of the next commit records, in order. The caller advances `walk.after`. */
async function* recordsAfter(walk: Walk): AsyncGenerator<{ sk: string; rows?: unknown }> {
  const { account, after } = walk
  const { pk, sk } = commitKey(account, after)
  // Starts without a lower bound, because an invalid key can sort before the first sequence.
  const range = { ...(after > 0 && { after: sk }), pageLength: rowsPerRead }
  for await (const page of storedPages(pk, range, ['sk', 'rows']))
    for (const record of page) {
      const later = Number(record.sk)
      if (record.sk === commitKey(account, later).sk)
        for await (const earlier of omittedRecords(account, walk.after + 1, later)) yield unpacked(earlier)
      yield unpacked(record)
    }
}

/** Arguments of a walk. `walk` is updated in place, so that another run can resume. */
type Walking = { walk: Walk; report: (finding: RowFinding) => void; maxOpen: number }

const isOfPass = ({ from, until }: Walk, name: string): boolean => name >= from && (until === null || name < until)

/** Compares rows with the latest commits that wrote them. Rows that differ are kept in `open`. */
async function compare({ account, open }: Walk, commits: [name: string, sequence: number][], consistency: Consistency) {
  const keys = commits.map(([name]) => namedRow(account, name))
  const rows = await getStoredItems(keys, { consistency, attributes: ['commit'] })
  for (const [i, [name, sequence]] of commits.entries()) {
    if (agrees(rows[i], sequence)) delete open[name]
    else open[name] = sequence
  }
  return rows
}

/** Adds to the batch the rows that a commit wrote. Reports invalid keys and missing commits. */
function note(
  { walk, report }: Walking,
  sort: string,
  rows: Record<string, unknown>,
  batch: Map<string, number>,
): void {
  const { account } = walk
  const sequence = Number(sort)
  const key = commitKey(account, sequence)
  if (key.sk !== sort) {
    report(findingAt('unfounded', 'commit', { ...key, sk: sort }))
    return
  }
  if (walk.from === '' && sequence !== walk.after + 1)
    report(findingAt('missing', 'commit', commitKey(account, walk.after + 1)))
  walk.after = sequence
  for (const [name, digest] of Object.entries(rows)) {
    if (!isKey(namedRow(account, name))) report(findingAt('altered', 'commit', key))
    else if (isOfPass(walk, name)) batch.set(name, digest === null ? -sequence : sequence)
  }
}

async function compareBatch(
  { walk, maxOpen }: Walking,
  batch: Map<string, number>,
  consistency: Consistency,
): Promise<void> {
  await compare(walk, [...batch], consistency)
  const names = Object.keys(walk.open)
  if (names.length <= maxOpen) return
  // Leaves the rows above the new bound for a later pass over the commits.
  walk.until = names.sort()[Math.ceil(maxOpen / 2)] as string
  walk.open = Object.fromEntries(Object.entries(walk.open).filter(([name]) => isOfPass(walk, name)))
}

/** Reads commits while time remains. @returns whether the last commit was reached */
async function read(walking: Walking, consistency: Consistency, hasTime: () => boolean): Promise<boolean> {
  let batch = new Map<string, number>()
  let commits = 0
  for await (const { sk, rows } of recordsAfter(walking.walk)) {
    note(walking, sk, fieldsOf(rows), batch)
    if (++commits < rowsPerRead && batch.size < rowsPerRead) continue
    await compareBatch(walking, batch, consistency)
    batch = new Map()
    commits = 0
    if (!hasTime()) return false
  }
  await compareBatch(walking, batch, consistency)
  return true
}

/** Reports rows that still differ after the last commit, unless a newer commit has written them. */
async function settle(walking: Walking): Promise<void> {
  const { walk, report } = walking
  await compare(walk, Object.entries(walk.open), 'exact')
  while (Object.keys(walk.open).length > 0) {
    const before = Object.entries(walk.open)
    await clock.sleep(settleMs)
    await read(walking, 'exact', () => true)
    const steadyRows = before.filter(([name, last]) => walk.open[name] === last)
    const rows = await compare(walk, steadyRows, 'exact')
    for (const [i, [name, last]] of steadyRows.entries()) {
      const problem = rows[i] ? 'outdated' : 'missing'
      if (name in walk.open) report(findingAt(problem, 'row', namedRow(walk.account, name), { commit: Math.abs(last) }))
      delete walk.open[name]
    }
  }
}

/**
 * Compares the rows of an account with the state that its commits describe. Keeps only differing rows in memory, so that memory does not
 * grow with the history.
 * @returns whether all rows of the account were compared
 */
export async function walkCommits(walking: Walking, hasTime: () => boolean): Promise<boolean> {
  const { walk } = walking
  // Reads with eventual consistency. Rows that differ are read again by `settle`.
  while (await read(walking, 'recent', hasTime)) {
    await settle(walking)
    if (walk.until === null) return true
    Object.assign(walk, { from: walk.until, until: null, after: 0, open: {} })
    if (!hasTime()) return false
  }
  return false
}
