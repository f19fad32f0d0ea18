import * as v from 'valibot'
import { namedRow } from '../../commit/commit-record.ts'
import { clock } from '../../core/clock.ts'
import { fieldsOf } from '../../core/json/is-object.ts'
import { commitKey } from '../../table/keys.ts'
import { type Consistency, getStoredItems, storedPages } from '../../table/read.ts'
import { isKey, settleMs, unpacked } from './derived-items.ts'
import { findingAt, type RowFinding } from './row-origin.ts'

/** Rows of about this many writes are looked for together. */
const perLook = 500

/** Rows of which one pass remembers that they are not as the commits so far have left them; more take another pass. */
export const maxOpenRows = 20_000

/** How far the commits of an account are walked, in their order. */
export const Walk = v.strictObject({
  account: v.string(),
  /** The sequence of the last commit that was walked. */
  after: v.number(),
  /** The rows of this pass, by their names: from the one on and below the other, null for all the rest. */
  from: v.string(),
  until: v.nullable(v.string()),
  /** Rows that differ from the commits so far: the sequence of the last commit that wrote each, negative if deleted. */
  open: v.record(v.string(), v.number()),
})
export type Walk = v.InferOutput<typeof Walk>

export const walkOf = (account: string): Walk => ({ account, after: 0, from: '', until: null, open: {} })

type StoredRow = Record<string, unknown> | undefined

/** True for a row in the state of a commit or of a later one. */
function agrees(row: StoredRow, left: number): boolean {
  const named = typeof row?.commit === 'number' ? row.commit : -1
  return left > 0 ? named >= left : row === undefined || named > -left
}

/** Sort keys and rows of the commit records that follow, in their order, some hundred a request. */
async function* recordsAfter({ account, after }: Walk): AsyncGenerator<{ sk: string; rows?: unknown }> {
  const { pk, sk } = commitKey(account, after)
  // Keys that are no sequence can come before the first one.
  const range = { ...(after > 0 && { after: sk }), atOnce: perLook }
  for await (const page of storedPages(pk, range, ['sk', 'rows'])) for (const record of page) yield unpacked(record)
}

/** A walk with what it needs; `walk` is where another run resumes. */
type Walking = { walk: Walk; report: (finding: RowFinding) => void; maxOpen: number }

const isOfPass = ({ from, until }: Walk, name: string): boolean => name >= from && (until === null || name < until)

/** Reads rows that commits have left in a state, and keeps those open that differ. */
async function compare({ account, open }: Walk, left: [name: string, sequence: number][], look: Consistency) {
  const keys = left.map(([name]) => namedRow(account, name))
  const rows = await getStoredItems(keys, { look, attributes: ['commit'] })
  for (const [i, [name, sequence]] of left.entries()) {
    if (agrees(rows[i], sequence)) delete open[name]
    else open[name] = sequence
  }
  return rows
}

/** Adds the rows that a commit wrote to a batch. */
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

async function look({ walk, maxOpen }: Walking, batch: Map<string, number>, how: Consistency): Promise<void> {
  await compare(walk, [...batch], how)
  const names = Object.keys(walk.open)
  if (names.length <= maxOpen) return
  // The rows beyond are left to another pass over the commits.
  walk.until = names.sort()[Math.ceil(maxOpen / 2)] as string
  walk.open = Object.fromEntries(Object.entries(walk.open).filter(([name]) => isOfPass(walk, name)))
}

/** Walks the commits that follow. @returns whether the last one is reached */
async function read(walking: Walking, how: Consistency, hasTime: () => boolean): Promise<boolean> {
  let batch = new Map<string, number>()
  let commits = 0
  for await (const { sk, rows } of recordsAfter(walking.walk)) {
    note(walking, sk, fieldsOf(rows), batch)
    if (++commits < perLook && batch.size < perLook) continue
    await look(walking, batch, how)
    batch = new Map()
    commits = 0
    if (!hasTime()) return false
  }
  await look(walking, batch, how)
  return true
}

/** Reports rows that still differ after the last commit, unless a commit since then has written them. */
async function settle(walking: Walking): Promise<void> {
  const { walk, report } = walking
  await compare(walk, Object.entries(walk.open), 'exact')
  while (Object.keys(walk.open).length > 0) {
    const before = Object.entries(walk.open)
    await clock.sleep(settleMs)
    await read(walking, 'exact', () => true)
    const same = before.filter(([name, last]) => walk.open[name] === last)
    const rows = await compare(walk, same, 'exact')
    for (const [i, [name, last]] of same.entries()) {
      const problem = rows[i] ? 'outdated' : 'missing'
      if (name in walk.open) report(findingAt(problem, 'row', namedRow(walk.account, name), { commit: Math.abs(last) }))
      delete walk.open[name]
    }
  }
}

/**
 * Compares the rows that the commits of an account left with those that exist. It remembers only rows that differ at
 * the moment, so its memory does not grow with the history.
 * @returns whether the account is done
 */
export async function walkCommits(walking: Walking, hasTime: () => boolean): Promise<boolean> {
  const { walk } = walking
  // A row may have been read as it was a moment ago, so `settle` reads again what differs.
  while (await read(walking, 'recent', hasTime)) {
    await settle(walking)
    if (walk.until === null) return true
    Object.assign(walk, { from: walk.until, until: null, after: 0, open: {} })
    if (!hasTime()) return false
  }
  return false
}
