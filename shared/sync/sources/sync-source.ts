import type { Transaction } from '../../commit/transaction.ts'
import type { FeatureName } from '../../domain/accounts/account.ts'
import type { LastGoodRun } from '../../domain/sync/last-good-run.ts'
import type { SyncState } from '../../domain/sync/sync-state.ts'
import type { Entity, Row } from '../../table/entity.ts'
import type { Planned } from '../plans/planned.ts'
import type { Staged } from '../plans/staged.ts'
import type { RunChange } from '../runs/run.ts'
import type { RunWork } from '../runs/run-work.ts'

export type SourceRow = Row & SyncState & { account_id: string; name: string }

/** A kind of thing that is synced: where its rows lie, when it is due, and what its runs count. */
export type SourceInfo<R extends SourceRow = SourceRow> = {
  entity: Entity<R>
  feature: FeatureName
  /** Runs begin at this minute of even hours (I4.1, I7). */
  minuteOf(row: R): number
  /** What its runs change, as their counts name it. */
  objects: readonly string[]
  /** A text of all that decides what is read. */
  connectionOf(row: R): string
}

/**
 * The same with what the phases of its runs do. The engine around it (steps, leases, brake, pace, errors, lists) is one for
 * all.
 */
export type SourceKind<R extends SourceRow = SourceRow> = SourceInfo<R> & {
  /** The sections of a plan in the order in which they are applied, with how many entries one commit takes at most. */
  sections: readonly { name: string; perCommit: number }[]
  /** What an entry of a plan says to an administrator. */
  changeOf(section: string, entry: unknown): RunChange
  /** Fields of the row beside those of every source, for a run that failed for good (I6). */
  onFatal?: Partial<R>
  onSuccess?: Partial<R>
  /** @param deadline of the step, in milliseconds since 1970 */
  open(row: R, deadline: number): Promise<OpenSource>
}

/** A source with the connection to its provider. */
export type OpenSource = {
  /** Reads all lists and seals the snapshot: `run.root` is set then. */
  read(work: RunWork, last: LastGoodRun | undefined): Promise<void>
  plan(work: RunWork): Promise<Planned & { absent: string[] }>
  /** Those of the absent that the provider still knows as active and assigned (I5.2). */
  confirm?(idpIds: string[]): Promise<string[]>
  /** Stages as many entries of a section as have room. */
  stage(section: string, transaction: Transaction, work: RunWork, entries: unknown[]): Promise<Staged>
}
