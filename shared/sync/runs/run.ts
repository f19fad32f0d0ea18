import * as v from 'valibot'
import type { Subject } from '../../core/subject.ts'
import type { FeatureName } from '../../domain/accounts/account.ts'
import type { SyncState } from '../../domain/sync/sync-state.ts'
import type { Entity, Row } from '../../table/entity.ts'

export type SourceRow = Row & SyncState & { account_id: string; name: string }

/** Kind of source: its rows, its schedule, and the kinds of objects that its runs count. */
export type SourceInfo<R extends SourceRow = SourceRow> = {
  entity: Entity<R>
  feature: FeatureName
  /** Returns the minute of even hours (UTC) at which runs begin (I4.1, I7.1). */
  minuteOf(row: R): number
  objects: readonly string[]
  /** Serializes the fields that determine which data is read from the provider. */
  connectionOf(row: R): string
}

export const directoryObjects = ['users', 'groups', 'memberships'] as const

const text = v.string()
const counts = v.object({ insert: v.number(), update: v.number(), delete: v.number() })
/** An entry that a run could not use or did not change, with the reason. */
const skippedEntry = v.object({ idp_id: text, name: v.nullable(text), reason: text })
const byObject = <S extends v.GenericSchema>(objects: readonly string[], schema: S) =>
  v.object(Object.fromEntries(objects.map((object) => [object, schema])))

/** Schema of a run in the API (I4.1(4)). `objects` are the kinds of objects that the run counts. */
export const runSchema = (objects: readonly string[]) =>
  v.object({
    id: text,
    started_at: text,
    finished_at: v.nullable(text),
    phase: v.picklist(['read', 'plan', 'brake', 'apply', 'finish']),
    // `stopped`: the deletion brake stopped the run. `cancelled`: the source was disabled, deleted or changed during the run.
    outcome: v.nullable(v.picklist(['applied', 'previewed', 'stopped', 'failed', 'cancelled'])),
    error: v.nullable(text),
    seen: byObject(objects, v.number()),
    planned: byObject(objects, counts),
    applied: byObject(objects, counts),
    skipped: v.record(text, v.number()),
    skipped_sample: v.array(skippedEntry),
  })

export const DirectoryRun = v.object({ ...runSchema(directoryObjects).entries, rewinds: v.nullable(text) })

export type Counts = v.InferOutput<typeof counts>
export type CountsByObject = Record<string, Counts>
export type RunSkipped = v.InferOutput<typeof skippedEntry>

export type Reading = {
  list: string
  /** Position of the first page with an entry that is not in a chunk yet. */
  position: string | null
  restarts: number
  /** Number of consecutive pages without a new entry. */
  barren?: number
  /** Number of entries read from the list so far. Maintained only for inventories. */
  read?: number
  chunks: Record<string, string[]>
  /** Index of the next chunk of groups whose members are to be read. */
  next: number
  /** Digests of chunks with the members read so far for the current chunk of groups; null if there are none. */
  scratch: string[] | null
}

export function newReading(list: string, chunks: Reading['chunks']): Reading {
  return { list, position: null, restarts: 0, read: 0, chunks, next: 0, scratch: null }
}

export type Run = v.InferOutput<ReturnType<typeof runSchema>> & {
  account_id: string
  collection: string
  source_id: string
  preview: boolean
  /** Id of the run that this rewind undoes (I4.1(6)); null for all other runs. */
  rewinds: string | null
  /** Subject of the run's commits; null if the service itself is the author. */
  subject: Subject | null
  /** Scopes of the requester of a rewind; null for all other runs. */
  scopes: readonly string[] | null
  took_administrator: boolean
  /** Serialized connection at the start of the run. A changed connection cancels the run, because the snapshot would differ. */
  connection: string
  reading: Reading | null
  /** Digest of the root of the complete snapshot; null until all lists are read. */
  root: string | null
  staged_at: string
  whole_at: string
  /** Number of entries in the plan, by section. */
  sections: Record<string, number>
  /** Time of the first failure in the current series of failed provider calls, in milliseconds since 1970; null after a successful call. */
  troubled_since: number | null
}

const maxSamples = 50
const maxSampleText = 100

export const zeroCounts = (objects: readonly string[]): CountsByObject =>
  Object.fromEntries(objects.map((object) => [object, { insert: 0, update: 0, delete: 0 }]))

/** Counts a change. Ignores kinds of objects that runs do not count. */
export function countChange(counts: CountsByObject, object: string, change: keyof Counts): void {
  const objectCounts = counts[object]
  if (objectCounts) objectCounts[change]++
}

type Skips = Pick<Run, 'skipped' | 'skipped_sample'>

export function noteSkipped(run: Skips, { idp_id, name, reason }: RunSkipped): void {
  run.skipped[reason] = (run.skipped[reason] ?? 0) + 1
  if (run.skipped_sample.length >= maxSamples) return
  const short = (text: string) => text.slice(0, maxSampleText).toWellFormed()
  run.skipped_sample.push({ idp_id: short(idp_id), name: name === null ? null : short(name), reason })
}

export function mergedSkips(run: Skips, noted: Skips): Skips {
  const skipped = { ...run.skipped }
  for (const [reason, count] of Object.entries(noted.skipped)) skipped[reason] = (skipped[reason] ?? 0) + count
  return { skipped, skipped_sample: [...run.skipped_sample, ...noted.skipped_sample].slice(0, maxSamples) }
}

const objectFields = v.nullable(v.record(text, v.unknown()))

/** A planned change, which is a difference between a snapshot and the account (I4.1(5)). */
export const RunChange = v.object({
  change: v.picklist(['insert', 'update', 'delete']),
  object: text,
  name: text,
  before: objectFields,
  after: objectFields,
})
export type RunChange = v.InferOutput<typeof RunChange>
type ObjectFields = RunChange['before']

/** Builds a change: an insertion if `before` is null, a deletion if `after` is null, otherwise an update. */
export function runChange(object: string, name: string, before: ObjectFields, after: ObjectFields): RunChange {
  const kind = before === null ? 'insert' : after === null ? 'delete' : 'update'
  return { change: kind, object, name, before, after }
}

/** Ending of a run. `class` determines the effect of a failure on the source (I6). */
export type Ending =
  | { outcome: 'applied' | 'previewed' | 'cancelled'; error?: string }
  | { outcome: 'stopped' | 'failed'; error: string; class: 'fatal' | 'transient' }

export const cancelledEnding = ({ rewinds }: Run): Ending => ({
  outcome: 'cancelled',
  error:
    rewinds === null
      ? 'The directory or inventory was disabled, deleted or changed during the run.'
      : 'The directory was deleted, or its account was disabled, during the rewind.',
})

const minuteMicros = 60_000_000
const twoHours = 120 * minuteMicros

/** Returns the next time after `now` at the given minute of an even hour (UTC), in microseconds since 1970 (I4.1). */
export function nextSlot(minute: number, now: number): number {
  const slot = Math.floor(now / twoHours) * twoHours + minute * minuteMicros
  return slot > now ? slot : slot + twoHours
}

/**
 * Function that describes an entry of a plan. Its type is that of a method, and therefore bivariant, so that `PlanDescribers` accepts any
 * type of entry.
 */
type PlanDescriber<E> = { changeOf(entry: E): RunChange }['changeOf']

/** Functions that describe the entries of each plan section, in the order of application. */
export type PlanDescribers<M = Record<string, unknown>> = { readonly [S in keyof M]: PlanDescriber<M[S]> }
