import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { namedRow } from '../../commit/written-row.ts'
import { fieldsOf } from '../../core/json/is-object.ts'
import { waiting } from '../../core/work/waiting.ts'
import { commitKey, type Key } from '../../table/keys.ts'
import { getAttributes, type Look, queryAttributes } from '../../table/read.ts'
import { isKey, unpacked } from './read-items.ts'
import type { RowFinding } from './row-finding.ts'
import { settleMs } from './row-origin.ts'

/** Rows of about this many writes are looked for together. */
const perLook = 500

/** Rows of which one pass remembers that they are not as the commits so far have left them; more take another pass. */
const maxOpen = 20_000

/** A part of the rows of an account, by their names: those whose hash leaves this remainder. */
const Slice = v.strictObject({ index: v.number(), of: v.number() })

/** How far the commits of an account are walked, in their order. */
export const Walk = v.strictObject({
  account: v.string(),
  /** The sequence of the last commit that was walked. */
  after: v.number(),
  slice: Slice,
  left: v.array(Slice),
  /**
   * Rows that are not as the commits so far have left them, by name: the sequence of the last commit that wrote it, or the
   * negative of the one that deleted it. Most are set right by a later commit.
   */
  open: v.record(v.string(), v.number()),
})
export type Walk = v.InferOutput<typeof Walk>

export const walkOf = (account: string): Walk => ({
  account,
  after: 0,
  slice: { index: 0, of: 1 },
  left: [],
  open: {},
})

const isIn = ({ index, of }: v.InferOutput<typeof Slice>, name: string): boolean =>
  of === 1 || createHash('sha256').update(name).digest().readUInt32BE() % of === index

/** True for a row in the state of a commit or of a later one. */
function agrees(row: Record<string, unknown> | undefined, left: number): boolean {
  const named = typeof row?.commit === 'number' ? row.commit : -1
  return left > 0 ? named >= left : row === undefined || named > -left
}

type StoredRecord = { sk: string; rows?: unknown }

/** Commit records in their order, some hundred a request. */
async function* recordsAfter(walk: Pick<Walk, 'account' | 'after'>): AsyncGenerator<StoredRecord> {
  const { pk, sk } = commitKey(walk.account, walk.after)
  // Keys that are no sequence can come before the first one.
  let after = walk.after === 0 ? undefined : sk
  for (let size = perLook; size === perLook; ) {
    const page = await queryAttributes<StoredRecord>(pk, { after, limit: perLook }, ['rows'])
    size = page.size
    for (const record of page.values()) {
      yield unpacked(record)
      after = record.sk
    }
  }
}

type Report = (finding: RowFinding) => void

/**
 * Walks the commits of an account and compares what they left of each row with what there is: a row that they wrote exists, in
 * no older state than theirs, and one that they deleted does not. It remembers only what differs at the moment, so that its
 * memory does not grow with the history.
 */
export class CommitWalk {
  private readonly walk: Walk
  private readonly report: Report
  private readonly maxOpen: number
  private batch = new Map<string, number>()
  private commits = 0

  constructor(walk: Walk, report: Report, limit = maxOpen) {
    this.walk = walk
    this.report = report
    this.maxOpen = limit
  }

  /** @returns whether the account is done; else `walk` is where another run resumes */
  async run(hasTime: () => boolean): Promise<boolean> {
    for (;;) {
      if (!(await this.read('recent', hasTime))) return false
      await this.settle()
      const slice = this.walk.left.pop()
      if (!slice) return true
      Object.assign(this.walk, { slice, after: 0, open: {} })
      if (!hasTime()) return false
    }
  }

  /** Walks the commits that follow. A row may be read as it was a moment ago: `settle` reads what differs again. */
  private async read(look: Look, hasTime: () => boolean): Promise<boolean> {
    for await (const { sk, rows } of recordsAfter(this.walk)) {
      this.note(sk, fieldsOf(rows))
      if (this.commits < perLook && this.batch.size < perLook) continue
      await this.look(look)
      if (!hasTime()) return false
    }
    await this.look(look)
    return true
  }

  private note(sort: string, rows: Record<string, unknown>): void {
    const { walk } = this
    const sequence = Number(sort)
    const key = commitKey(walk.account, sequence)
    if (key.sk !== sort) {
      this.reportKey('unfounded', 'commit', { ...key, sk: sort }, sequence)
      return
    }
    if (walk.slice.index === 0 && sequence !== walk.after + 1) this.reportGap(walk.after + 1)
    walk.after = sequence
    this.commits++
    for (const [name, digest] of Object.entries(rows)) {
      if (!isKey(namedRow(walk.account, name))) this.reportKey('altered', 'commit', key, sequence)
      else if (isIn(walk.slice, name)) this.batch.set(name, digest === null ? -sequence : sequence)
    }
  }

  private async look(look: Look): Promise<void> {
    const { batch } = this
    this.batch = new Map()
    this.commits = 0
    await this.compare([...batch], look)
    while (Object.keys(this.walk.open).length > this.maxOpen) this.split()
  }

  private async compare(left: [string, number][], look: Look): Promise<void> {
    const { account, open } = this.walk
    const rows = await getAttributes(
      left.map(([name]) => namedRow(account, name)),
      ['commit'],
      look,
    )
    for (const [i, [name, last]] of left.entries()) {
      if (agrees(rows[i], last)) delete open[name]
      else open[name] = last
    }
  }

  /** Leaves half of the rows to another pass over the commits. */
  private split(): void {
    const { walk } = this
    const { index, of } = walk.slice
    walk.slice = { index, of: 2 * of }
    walk.left.push({ index: index + of, of: 2 * of })
    walk.open = Object.fromEntries(Object.entries(walk.open).filter(([name]) => isIn(walk.slice, name)))
  }

  /** After the last commit: what still differs is reported, unless a commit since then has written the row. */
  private async settle(): Promise<void> {
    const { walk } = this
    while (Object.keys(walk.open).length > 0) {
      await this.compare(Object.entries(walk.open), 'exact')
      const before = Object.entries(walk.open)
      if (before.length === 0) return
      await waiting.sleep(settleMs)
      await this.read('exact', () => true)
      for (const [name, last] of before) {
        if (walk.open[name] !== last) continue
        await this.judge(name, last)
        delete walk.open[name]
      }
    }
  }

  private async judge(name: string, last: number): Promise<void> {
    const key = namedRow(this.walk.account, name)
    const [row] = await getAttributes([key], ['commit'])
    if (agrees(row, last)) return
    this.reportKey(row ? 'outdated' : 'missing', 'row', key, Math.abs(last))
  }

  private reportGap(sequence: number): void {
    this.reportKey('missing', 'commit', commitKey(this.walk.account, sequence), sequence)
  }

  private reportKey(problem: RowFinding['problem'], item: RowFinding['item'], { pk, sk }: Key, commit: number): void {
    this.report({ problem, item, account_id: this.walk.account, at: pk, sort: sk, ...(item === 'row' && { commit }) })
  }
}
