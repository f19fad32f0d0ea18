import { isDeepStrictEqual } from 'node:util'
import { timestamp } from '../core/clock.ts'
import { notFound } from '../core/errors.ts'
import { uuidV7 } from '../core/ids.ts'
import type { AccountVersion } from '../table/account-version.ts'
import { type Entity, itemRow, type Row, type RowFields, rowKey } from '../table/entity.ts'
import { address } from '../table/key-set.ts'
import { entityKey, type Item, type Key, type RowPointer, uniqueKey } from '../table/keys.ts'
import { bytesOf, maxRowBytes, tooLarge } from '../table/large-attributes.ts'
import { getItem } from '../table/read.ts'
import { put, putIf, remove, removeWhile, type Write } from '../table/write-together.ts'
import { type Change, type FollowUp, rowDigest, rowName, type WrittenRows } from './commit-record.ts'
import type { Revocation } from './revoke.ts'
import { StagedMembers } from './staged-members.ts'
import { addCounts, counterWrites, partsOf, recordedChange, type StagedRow } from './staged-row.ts'

/** Maximum number of writes in a DynamoDB transaction; a larger change takes several commits (`commitInParts`). */
export const maxWrites = 100
/** Writes reserved for the account version, the commit record, a saved response and the progress of a sync run. */
const ownWrites = 4
/** Upper bound of the writes of one row with its index items, counters and chunks of member ids. */
const writesPerRow = 23
/** Maximum bytes of the changes in a commit record, below the 400 KB limit of a DynamoDB item. */
const maxRecordBytes = 150_000

/** Changes of one commit, staged in memory. Reads are serializable: the commit fails if the account version has changed. */
export class Transaction {
  readonly accountId: string
  readonly now: number
  /** Members that the change adds to sets and removes from them. */
  readonly members: StagedMembers
  /** True if no other commit followed the caller's previous commit, so that the rows read for that commit are still valid. */
  readonly follows: boolean
  /** Revocations to carry out after the commit. The commit record lists them, so that the follow-up consumer can repeat them. */
  readonly revocations: Revocation[] = []
  readonly followUps: FollowUp[] = []
  /** Names of the account's counters that the change has read. */
  readonly countsRead = new Set<string>()
  private version: AccountVersion
  private readonly stagedRows = new Map<string, StagedRow>()
  /** Writes of items other than rows, by key. A transaction takes one write per item. */
  private readonly otherWrites = new Map<string, Write>()
  private createdIds = 0
  /** JSON bytes of all rows before and after their changes, which the commit record contains. */
  bytes = 0

  constructor(accountId: string, version: AccountVersion, now: number, follows = false) {
    this.accountId = accountId
    this.members = new StagedMembers(accountId)
    this.version = version
    this.now = now
    this.follows = follows
  }

  /** Sequence of the account's latest commit when the change was staged. The staged commit gets a later one. */
  get sequence(): number {
    return this.version.sequence
  }

  /** Number of the account's change log entries before this commit (S1.2). */
  get leaves(): number {
    return this.version.leaves
  }

  /** Returns the row with the changes staged so far; null when the row does not exist. */
  async get<R extends Row>(entity: Entity<R>, id: string): Promise<R | null> {
    const key = entityKey(this.accountId, entity.name, id)
    const staged = this.stagedAt(entity, key)
    if (staged) return staged.after
    const item = await getItem(key)
    return item ? itemRow(entity, item) : null
  }

  /** Returns the row with the changes staged so far. @throws ApiError 404 when the row does not exist */
  async existing<R extends Row>(entity: Entity<R>, id: string): Promise<R> {
    const row = await this.get(entity, id)
    if (!row) throw notFound()
    return row
  }

  /** True when a row other than `exception` has this value in a unique set such as `actors.email`. */
  async isTaken(name: string, value: string, exception?: Row): Promise<boolean> {
    const unique = await getItem<RowPointer>(uniqueKey(this.accountId, name, value))
    return unique !== undefined && unique.row.sk !== exception?.id
  }

  /** Value of a counter before this commit. */
  count(name: string): number {
    this.countsRead.add(name)
    return this.version.counts[name] ?? 0
  }

  /** Creates an id that sorts after all ids of earlier commits. */
  newId(): string {
    return uuidV7(this.now, this.createdIds++)
  }

  insert<R extends Row>(entity: Entity<R>, fields: RowFields<R> & { id?: string }): R {
    const at = timestamp(this.now)
    const row = { ...fields, id: fields.id ?? this.newId(), inserted_at: at, updated_at: at } as unknown as R
    this.stage(entity, null, row)
    return row
  }

  /** Restores a deleted row with its id and timestamps. The caller checks that the unique values are not in use. */
  restore<R extends Row>(entity: Entity<R>, row: R): void {
    this.stage(entity, null, row)
  }

  /** Updates a row and returns it. Stages nothing when no value changes (A2.8). */
  update<R extends Row>(entity: Entity<R>, row: R, changes: Partial<R>): R {
    const changedFields = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
    const mergedRow: R = { ...row, ...changedFields }
    if (isDeepStrictEqual(mergedRow, row)) return row
    const after = { ...mergedRow, updated_at: timestamp(this.now) }
    this.stage(entity, row, after)
    return after
  }

  delete<R extends Row>(entity: Entity<R>, row: R): void {
    this.stage(entity, row, null)
  }

  /** Puts an item that is not a row, such as a log entry or a presence item, in the same transaction. */
  put(item: Item): void {
    this.otherWrites.set(address(item), put(item))
  }

  /** Puts an item that must not exist yet. On a conflict, the commit is retried. */
  claim(item: Item): void {
    this.otherWrites.set(address(item), putIf(item, null))
  }

  /** Replaces an item if its attributes have the expected values. On a conflict, the commit is retried. */
  exchange(item: Item, expected: Record<string, unknown>): void {
    this.otherWrites.set(address(item), putIf(item, expected))
  }

  /** Deletes an item if its attributes have the expected values. On a conflict, the commit is retried. */
  discard(key: Key, expected: Record<string, unknown>): void {
    this.otherWrites.set(address(key), removeWhile(key, expected))
  }

  remove(key: Key): void {
    this.otherWrites.set(address(key), remove(key))
  }

  /** Revokes access after the commit. Combines the memberships of a group into one revocation. */
  revoke(revocation: Revocation): void {
    const { by, id } = revocation
    const earlier = by === 'membership' && this.revocations.find((other) => other.by === by && other.id === id)
    if (earlier && earlier.by === 'membership') earlier.actors.push(...revocation.actors)
    else this.revocations.push({ ...revocation, before: timestamp(this.now) })
  }

  defer(followUp: FollowUp): void {
    this.followUps.push(followUp)
  }

  /** True while the commit and its record have capacity for this many writes, by default the writes of one row. */
  hasCapacity(writes = writesPerRow): boolean {
    return this.bytes < maxRecordBytes && writes <= this.freeWrites() - this.members.maxWrites(this.stagedRows.values())
  }

  private freeWrites(): number {
    return maxWrites - ownWrites - this.writes().length
  }

  /** Derives the writes of chunks of member ids from the staged rows. To be called once, after all changes are staged. */
  stageChunks(): Promise<void> {
    return this.members.stageChunks(this.stagedRows.values(), this.rowCounts(), () => this.freeWrites())
  }

  changes(): Change[] {
    return [...this.stagedRows.values()].flatMap((staged) => {
      const change = recordedChange(staged)
      return change ? [change] : []
    })
  }

  rows(commitId: string): WrittenRows {
    return Object.fromEntries(
      [...this.stagedRows.values()].map((staged) => {
        const { item } = this.partsOf(staged)
        return [rowName(staged.key), item && rowDigest(commitId, item)]
      }),
    )
  }

  /** Values of the account's counters after this commit. */
  counts(): Record<string, number> {
    const counts = { ...this.version.counts }
    for (const [name, amount] of this.countChanges()) counts[name] = (counts[name] ?? 0) + amount
    return counts
  }

  countChanges(): Map<string, number> {
    const changes = new Map<string, number>()
    for (const { entity, before, after } of this.stagedRows.values()) {
      if (before)
        addCounts(
          changes,
          [entity.name, ...entity.counters(before)].map((name) => [name, -1]),
        )
      if (after)
        addCounts(
          changes,
          [entity.name, ...entity.counters(after)].map((name) => [name, 1]),
        )
    }
    return changes
  }

  writes(): Write[] {
    return [...this.itemWrites(), ...counterWrites(this.rowCounts())]
  }

  /** Writes of this commit without those of row counters, which commits in one transaction share. */
  itemWrites(): Write[] {
    const rows = [...this.stagedRows.values()].flatMap((staged) => this.partsOf(staged).writes)
    return [...rows, ...this.otherWrites.values(), ...this.members.chunkWrites]
  }

  /** Changes of row counters by partition. */
  rowCounts(): Map<string, number> {
    const sums = new Map<string, number>()
    for (const staged of this.stagedRows.values()) addCounts(sums, this.partsOf(staged).counts)
    addCounts(sums, this.members.countCorrections)
    return sums
  }

  /** Orders the staged changes after a commit that has changed nothing that they depend on. */
  rebase(version: AccountVersion): void {
    if (version.sequence !== this.version.sequence) for (const staged of this.stagedRows.values()) delete staged.parts
    this.version = version
  }

  private partsOf(staged: StagedRow) {
    return partsOf(this.accountId, this.version.sequence + 1, staged)
  }

  /** Stages a row, replacing its earlier staged form. @throws ApiError `validation_failed` for a row too large to store */
  private stage<R extends Row>(entity: Entity<R>, before: R | null, after: R | null): void {
    const row = after ?? before
    if (!row) return
    const key = rowKey(entity, this.accountId, row)
    const bytes = { before: bytesOf(before), after: bytesOf(after) }
    if (after && bytes.after > maxRowBytes) throw tooLarge(after)
    this.bytes += bytes.before + bytes.after
    const earlierRow = this.stagedAt(entity, key)
    const staged: StagedRow<R> = { key, entity, before: earlierRow ? earlierRow.before : before, after }
    if (staged.before === null && after === null) this.stagedRows.delete(address(key))
    else this.stagedRows.set(address(key), staged as unknown as StagedRow)
  }

  /** Returns the staged row at a key of the entity. The cast is safe, because the keys of an entity contain only its rows. */
  private stagedAt<R extends Row>(_entity: Entity<R>, key: Key): StagedRow<R> | undefined {
    return this.stagedRows.get(address(key)) as StagedRow<R> | undefined
  }
}
