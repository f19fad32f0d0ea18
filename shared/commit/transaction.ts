import { isDeepStrictEqual } from 'node:util'
import { timestamp } from '../core/clock.ts'
import { notFound } from '../core/errors.ts'
import { uuidV7 } from '../core/ids.ts'
import type { AccountVersion } from '../table/account-version.ts'
import { type Entity, itemRow, type Row, type RowFields, rowKey } from '../table/entity.ts'
import { entityKey, type Item, type Key, type RowPointer, uniqueKey } from '../table/keys.ts'
import { bytesOf, maxRowBytes, tooLarge } from '../table/large-attributes.ts'
import { getItem } from '../table/read.ts'
import { put, putIf, remove, removeWhile, type Write } from '../table/write-together.ts'
import { type Change, type FollowUp, rowDigest, rowName, type WrittenRows } from './commit-record.ts'
import type { Revocation } from './revoke.ts'
import { address, counterWrites, partsOf, recordedChange, type Staged } from './staged-row.ts'

/** A transaction holds at most this many writes; a larger change is done in ordered parts. */
export const maxWrites = 100
/** The account version, the record, and what a request or a run keeps of itself. */
const ownWrites = 4
/** Writes of a row with its index items and counters, where the caller gives no number. */
const writesPerRow = 23
/** Changes take at most this much of the 400 KB that their record may have. */
const maxRecordBytes = 150_000

/** The changes of one commit, staged in memory. What it reads is safe: the account version's condition covers it. */
export class Transaction {
  readonly accountId: string
  readonly now: number
  /** Follows an earlier commit of its caller, with none in between: what was known then, and what that one did, is the state. */
  readonly follows: boolean
  /** Authorizations that end with this commit; done after it and recorded in it, so that they are done in any case. */
  readonly revocations: Revocation[] = []
  /** Work left over for the follow-up consumer. */
  readonly followUps: FollowUp[] = []
  private readonly head: AccountVersion
  private readonly staged = new Map<string, Staged>()
  /** By key: a transaction can hold one write of an item. */
  private readonly others = new Map<string, Write>()
  private created = 0
  /** Bytes of the rows before and after, as JSON: what the commit's record will hold. */
  private bytes = 0

  constructor(accountId: string, head: AccountVersion, now: number, follows = false) {
    this.accountId = accountId
    this.head = head
    this.now = now
    this.follows = follows
  }

  /** The commit that the state is of; the next has the number after it. */
  get sequence(): number {
    return this.head.sequence
  }

  /** The row as it stands with the changes staged so far. */
  async get<R extends Row>(entity: Entity<R>, id: string): Promise<R | null> {
    const key = entityKey(this.accountId, entity.name, id)
    const staged = this.stagedAt(entity, key)
    if (staged) return staged.after
    const item = await getItem(key)
    return item ? itemRow(entity, item) : null
  }

  /** The row as it is staged. @throws ApiError 404 where there is none */
  async existing<R extends Row>(entity: Entity<R>, id: string): Promise<R> {
    const row = await this.get(entity, id)
    if (!row) throw notFound()
    return row
  }

  /** True when another row than `except` holds this value of a unique set, for example of `actors.email`. */
  async isTaken(name: string, value: string, except?: Row): Promise<boolean> {
    const unique = await getItem<RowPointer>(uniqueKey(this.accountId, name, value))
    return unique !== undefined && unique.row.sk !== except?.id
  }

  /** A counter of the account version as it stood before this commit. */
  count(name: string): number {
    return this.head.counts[name] ?? 0
  }

  /** An id that sorts after all ids of earlier commits. */
  newId(): string {
    return uuidV7(this.now, this.created++)
  }

  insert<R extends Row>(entity: Entity<R>, fields: RowFields<R> & { id?: string }): R {
    const at = timestamp(this.now)
    const row = { ...fields, id: fields.id ?? this.newId(), inserted_at: at, updated_at: at } as unknown as R
    this.stage(entity, null, row)
    return row
  }

  /** A row that was deleted, as it was: with its id, and its times. Whether what it holds is free is for the caller to say. */
  restore<R extends Row>(entity: Entity<R>, row: R): void {
    this.stage(entity, null, row)
  }

  /** The updated row; nothing is staged when no value differs (A2.8). */
  update<R extends Row>(entity: Entity<R>, row: R, changes: Partial<R>): R {
    const sent = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
    const merged: R = { ...row, ...sent }
    if (isDeepStrictEqual(merged, row)) return row
    const after = { ...merged, updated_at: timestamp(this.now) }
    this.stage(entity, row, after)
    return after
  }

  delete<R extends Row>(entity: Entity<R>, row: R): void {
    this.stage(entity, row, null)
  }

  /** An item that is no entity and goes with the commit: a log entry, the live part of a row. */
  put(item: Item): void {
    this.others.set(address(item), put(item))
  }

  /** An item at a key that nothing may hold yet; a lost race runs the commit again. */
  claim(item: Item): void {
    this.others.set(address(item), putIf(item, null))
  }

  /** An item in the place of one that has these values; a lost race runs the commit again. */
  exchange(item: Item, expected: Record<string, unknown>): void {
    this.others.set(address(item), putIf(item, expected))
  }

  /** Deletes an item that has these values; a lost race runs the commit again. */
  discard(key: Key, expected: Record<string, unknown>): void {
    this.others.set(address(key), removeWhile(key, expected))
  }

  remove(key: Key): void {
    this.others.set(address(key), remove(key))
  }

  revoke(revocation: Revocation): void {
    this.revocations.push({ ...revocation, before: timestamp(this.now) })
  }

  defer(followUp: FollowUp): void {
    this.followUps.push(followUp)
  }

  /** True while another row, with its index items and counters, fits the commit and its record; or so many writes. */
  hasCapacity(writes = writesPerRow): boolean {
    return this.bytes < maxRecordBytes && this.writes().length + writes <= maxWrites - ownWrites
  }

  changes(): Change[] {
    return [...this.staged.values()].flatMap((staged) => {
      const change = recordedChange(staged)
      return change ? [change] : []
    })
  }

  /** The rows that the commit of this id writes, with digests of their items. */
  rows(commitId: string): WrittenRows {
    return Object.fromEntries(
      [...this.staged.values()].map((staged) => {
        const { item } = this.partsOf(staged)
        return [rowName(staged.key), item && rowDigest(commitId, item)]
      }),
    )
  }

  counts(): Record<string, number> {
    const counts = { ...this.head.counts }
    const add = (names: string[], amount: number) => {
      for (const name of names) counts[name] = (counts[name] ?? 0) + amount
    }
    for (const { entity, before, after } of this.staged.values()) {
      if (before) add([entity.name, ...entity.counters(before)], -1)
      if (after) add([entity.name, ...entity.counters(after)], 1)
    }
    return counts
  }

  writes(): Write[] {
    const parts = [...this.staged.values()].map((staged) => this.partsOf(staged))
    return [...parts.flatMap(({ writes }) => writes), ...counterWrites(parts), ...this.others.values()]
  }

  private partsOf(staged: Staged) {
    return partsOf(this.accountId, this.head.sequence + 1, staged)
  }

  /** @throws ApiError `validation_failed` for a row that is too large to be stored */
  private stage<R extends Row>(entity: Entity<R>, before: R | null, after: R | null): void {
    const row = after ?? before
    if (!row) return
    const key = rowKey(entity, this.accountId, row)
    const bytes = { before: bytesOf(before), after: bytesOf(after) }
    if (after && bytes.after > maxRowBytes) throw tooLarge(after)
    this.bytes += bytes.before + bytes.after
    const earlier = this.stagedAt(entity, key)
    const staged: Staged<R> = { key, entity, before: earlier ? earlier.before : before, after }
    if (staged.before === null && after === null) this.staged.delete(address(key))
    else this.staged.set(address(key), staged as unknown as Staged)
  }

  /** At a key of an entity lie only rows of it, so the type that was lost in the map is known again. */
  private stagedAt<R extends Row>(_entity: Entity<R>, key: Key): Staged<R> | undefined {
    return this.staged.get(address(key)) as Staged<R> | undefined
  }
}
