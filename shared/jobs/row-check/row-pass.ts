import * as v from 'valibot'
import { commitKey, counterSort, headKey, type Key } from '../../table/keys.ts'
import { getItem, getItems, type StoredItem, sortKeysOf, whichExist } from '../../table/read.ts'
import { closedAccounts } from '../account-deletion/closed-accounts.ts'
import { Place } from '../read-next.ts'
import { checkedEntities } from './checked-entities.ts'
import { CommitWalk, Walk, walkOf } from './commit-walk.ts'
import { countersOf, derivedItems, entityOf, isDerived, placeOf } from './derived-items.ts'
import { isKey, readItems, unpacked } from './read-items.ts'
import { RowFinding } from './row-finding.ts'
import { checkOrigins, isRow } from './row-origin.ts'

const mostListed = 1_000

const Counts = v.record(v.string(), v.number())

const Head = v.strictObject({ sequence: v.number(), clock: v.number(), counts: Counts })

/** How far a pass over the table has come. */
export const Progress = v.strictObject({
  account_id: v.nullable(v.string()),
  start: Place,
  /** In microseconds. Accounts that commit later than this move while they are counted. */
  begun: v.number(),
  rows: v.number(),
  /** The partition that the pass is in: its items lie side by side. */
  partition: v.nullable(v.strictObject({ pk: v.string(), counted: v.nullable(v.number()), found: v.number() })),
  /** By account: what its head item says, and what its rows come to. */
  heads: v.record(v.string(), Head),
  found: v.record(v.string(), Counts),
  findings: v.array(RowFinding),
  truncated: v.boolean(),
  /** Accounts that were changed while their rows were counted. */
  moved: v.array(v.string()),
  /** After the last page: how far the commits of the accounts are walked, in the order of the accounts. */
  walk: v.nullable(Walk),
})
export type Progress = v.InferOutput<typeof Progress>

const keyOf = ({ pk, sk }: Key): Key => ({ pk, sk })

const sameKey = (a: Key, b: Key) => a.pk === b.pk && a.sk === b.sk

/** Partitions that have a row counter: those of edges, and of rows that lie within another object. */
const countedPlaces: ReadonlySet<string> = new Set(
  [...checkedEntities.values()].flatMap(({ name, place, edges }) => [
    ...(place ? [name] : []),
    ...Object.entries(edges).flatMap(([field, { counted }]) => (counted ? [`${name}.${field}`] : [])),
  ]),
)

/** Holds what one page after the other has against the rows, and keeps what was found. */
export class RowPass {
  readonly progress: Progress
  /** Findings whose accounts are known not to be closed. */
  private judged: number

  constructor(progress: Progress) {
    this.progress = progress
    this.judged = progress.findings.length
  }

  async page(items: StoredItem[]): Promise<void> {
    for (const item of items) {
      this.enter(item.pk)
      this.count(item)
    }
    const own = items.filter((item) => this.isAsked(item)).map(unpacked)
    await this.lookForDerived(own.filter((item) => entityOf(item)))
    await this.lookForRows(own.filter(isDerived))
    await this.lookForCommits(own.filter(({ kind }) => kind === 'head'))
    for (const finding of await checkOrigins(own.filter(isRow))) this.report(finding)
    await this.dropClosed()
  }

  /** After the last page: what is judged only when all has been seen. */
  async end(): Promise<void> {
    this.enter(null)
    const { heads, found, begun } = this.progress
    const accounts = Object.keys(heads)
    const now = await getItems(accounts.map(headKey))
    const moved = accounts.filter((_, i) => Number(now[i]?.clock ?? begun) >= begun)
    this.progress.findings = this.progress.findings.filter(
      ({ item, account_id }) => item !== 'counter' || !moved.includes(account_id),
    )
    for (const [account_id, { counts }] of Object.entries(heads)) {
      if (moved.includes(account_id)) continue
      const rows = found[account_id] ?? {}
      for (const at of new Set([...Object.keys(counts), ...Object.keys(rows)])) {
        const [counted, there] = [counts[at] ?? 0, rows[at] ?? 0]
        if (counted !== there)
          this.report({ problem: 'miscounted', item: 'counter', account_id, at, sort: null, counted, found: there })
      }
    }
    this.progress.moved = moved
    for (const account of Object.keys(found)) if (!(account in heads)) await this.lookForHead(account)
    await this.dropClosed()
    const first = this.accounts()[0]
    this.progress.walk = first === undefined ? null : walkOf(first)
  }

  /** Compares the rows with what all commits have left. @returns whether all of them are walked */
  async walkCommits(hasTime: () => boolean, maxOpen?: number): Promise<boolean> {
    const accounts = this.accounts()
    for (let { walk } = this.progress; walk !== null; walk = this.progress.walk) {
      const { account } = walk
      const isDone = await new CommitWalk(walk, (finding) => this.report(finding), maxOpen).run(hasTime)
      await this.dropClosed()
      if (!isDone) return false
      const next = accounts.find((one) => one > account)
      this.progress.walk = next === undefined ? null : walkOf(next)
      if (!hasTime()) break
    }
    return this.progress.walk === null
  }

  private accounts(): string[] {
    const { heads, found } = this.progress
    return [...new Set([...Object.keys(heads), ...Object.keys(found)])].sort()
  }

  /** Items of an account that is being deleted go one by one: nothing is said of those that are left. */
  private async dropClosed(): Promise<void> {
    const { findings } = this.progress
    if (findings.length === this.judged) return
    const closed = await closedAccounts()
    this.progress.findings = findings.filter(({ account_id }) => !closed.has(account_id))
    this.judged = this.progress.findings.length
  }

  private isAsked(item: Key): boolean {
    const { account_id: asked } = this.progress
    return asked === null || placeOf(item).account === asked
  }

  /** Leaves the partition that the pass was in: its counter is held against what was counted. */
  private enter(pk: string | null): void {
    const { partition } = this.progress
    if (partition?.pk === pk) return
    if (partition && (partition.counted ?? 0) !== partition.found) {
      const { account } = placeOf({ pk: partition.pk, sk: '' })
      this.report({
        problem: 'miscounted',
        item: 'counter',
        account_id: account,
        at: partition.pk,
        sort: counterSort,
        counted: partition.counted ?? 0,
        found: partition.found,
      })
    }
    const isCounted =
      pk !== null && this.isAsked({ pk, sk: '' }) && countedPlaces.has(placeOf({ pk, sk: '' }).collection)
    this.progress.partition = isCounted ? { pk, counted: null, found: 0 } : null
  }

  private count(item: StoredItem): void {
    const { partition } = this.progress
    if (partition && item.sk === counterSort) partition.counted = Number(item.rows)
    else if (partition && (item.kind === 'edge' || item.kind === 'entity')) partition.found++
    if (!this.isAsked(item)) return
    const { account } = placeOf(item)
    if (item.kind === 'head') {
      const { sequence, clock: last, counts } = item as StoredItem & v.InferOutput<typeof Head>
      this.progress.heads[account] = { sequence, clock: last, counts }
    }
    if (item.pk === commitKey(account, 0).pk) this.progress.found[account] ??= {}
    const entity = entityOf(item)
    if (!entity) return
    this.progress.rows++
    this.progress.found[account] ??= {}
    const found = this.progress.found[account]
    for (const name of countersOf(entity, unpacked(item))) found[name] = (found[name] ?? 0) + 1
  }

  private async lookForDerived(rows: StoredItem[]): Promise<void> {
    const expected = rows.flatMap((row) => derivedItems(row).map((item) => ({ row, item })))
    const there = await readItems(expected.map(({ item }) => item))
    for (const [i, { row, item }] of expected.entries()) {
      const pointer = there[i]?.row as Key | undefined
      if (pointer && sameKey(pointer, row)) continue
      // The row may have changed since the page was read.
      const [now, derived] = await readItems([row, item])
      const still = now && derivedItems(now).some((one) => sameKey(one, item))
      const found = still && derived?.row
      if (still && !(found && sameKey(found as Key, row))) this.reportItem('missing', item)
    }
  }

  private async lookForRows(pointers: StoredItem[]): Promise<void> {
    // A guard or edge is no row, so one that names none leads to itself.
    const targets = pointers.map((pointer) => (isKey(pointer.row) ? pointer.row : pointer))
    const rows = await readItems(targets)
    for (const [i, pointer] of pointers.entries()) {
      const row = rows[i]
      if (row && derivedItems(row).some((item) => sameKey(item, pointer))) continue
      // Both may be changing: the one that stays is judged.
      const [now, target] = await readItems([pointer, targets[i] ?? pointer])
      const holds = target && derivedItems(target).some((item) => sameKey(item, pointer))
      if (now && !holds) this.reportItem('unfounded', pointer)
    }
  }

  /** A head and the record of its last commit are of one transaction, and none lies beyond. */
  private async lookForCommits(heads: StoredItem[]): Promise<void> {
    const keys = heads.flatMap(({ pk, sequence }) => {
      const { account } = placeOf({ pk, sk: '' })
      return [commitKey(account, Number(sequence)), commitKey(account, Number(sequence) + 1)]
    })
    const exist = await whichExist(keys)
    for (const [i, head] of heads.entries()) {
      const [last, beyond] = keys.slice(2 * i, 2 * i + 2) as [Key, Key]
      const now = await getItem(keyOf(head))
      if (now?.sequence !== head.sequence) continue
      if (!exist[2 * i]) this.reportItem('missing', { ...last, kind: 'commit' })
      if (exist[2 * i + 1]) this.reportItem('unfounded', { ...beyond, kind: 'commit' })
    }
  }

  /** An account has a head from its first commit until its deletion takes commits and head. */
  private async lookForHead(account: string): Promise<void> {
    const key = headKey(account)
    const [commit] = await sortKeysOf(commitKey(account, 0).pk, { limit: 1 })
    if (commit !== undefined && !(await getItem(key))) this.reportItem('missing', { ...key, kind: 'head' })
  }

  private reportItem(problem: 'missing' | 'unfounded', { pk, sk, kind }: StoredItem): void {
    const item = kind as 'guard' | 'edge' | 'commit' | 'head'
    this.report({ problem, item, account_id: placeOf({ pk, sk }).account, at: pk, sort: sk })
  }

  private report(finding: RowFinding): void {
    const { findings } = this.progress
    const { item, at, sort } = finding
    // The first finding of a row says what is wrong with it. Commit records are read more than once.
    if (
      (item === 'row' || item === 'commit') &&
      findings.some((one) => one.item === item && one.at === at && one.sort === sort)
    )
      return
    if (findings.length < mostListed) findings.push(finding)
    else this.progress.truncated = true
  }
}
