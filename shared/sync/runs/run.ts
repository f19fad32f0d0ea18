import * as v from 'valibot'
import type { Subject } from '../../core/subject.ts'
import type { FeatureName } from '../../domain/accounts/account.ts'
import type { SyncState } from '../../domain/sync/sync-state.ts'
import type { Entity, Row } from '../../table/entity.ts'

export type SourceRow = Row & SyncState & { account_id: string; name: string }

/** A kind of source: its rows, its schedule, and the objects that its runs count. */
export type SourceInfo<R extends SourceRow = SourceRow> = {
  entity: Entity<R>
  feature: FeatureName
  /** Runs begin at this minute of even hours (I4.1, I7). */
  minuteOf(row: R): number
  objects: readonly string[]
  /** A text of all fields that decide what is read. */
  connectionOf(row: R): string
}

/** Objects that runs of directories change, as their counts name them. */
export const directoryObjects = ['users', 'groups', 'memberships'] as const

const text = v.string()
const counts = v.object({ insert: v.number(), update: v.number(), delete: v.number() })
/** An entry that could not be used, or was kept as it is; with its reason. */
const skippedEntry = v.object({ idp_id: text, name: v.nullable(text), reason: text })
const byObject = <S extends v.GenericSchema>(objects: readonly string[], schema: S) =>
  v.object(Object.fromEntries(objects.map((object) => [object, schema])))

/** A run as the API shows it (I4.1(4)); `objects` are the kinds of things that it changes. */
export const runSchema = (objects: readonly string[]) =>
  v.object({
    id: text,
    started_at: text,
    finished_at: v.nullable(text),
    phase: v.picklist(['read', 'plan', 'brake', 'apply', 'finish']),
    // `stopped`: by the brake. `cancelled`: the source was disabled, deleted or changed meanwhile.
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

/** The progress of reading the lists of the provider. */
export type Reading = {
  list: string
  /** The position of the page with the first entry that no chunk holds yet. */
  position: string | null
  restarts: number
  /** Pages in a row that have brought nothing new. */
  barren?: number
  /** Number of entries that were read of the list, where that is counted. */
  read?: number
  chunks: Record<string, string[]>
  /** The chunk of groups whose members are read next. */
  next: number
  /** Chunks of partly read members of groups. */
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
  /** The run that this one undoes (I4.1(6)); null for one that synchronises. */
  rewinds: string | null
  /** The subject of its commits; null for the service's own. */
  subject: Subject | null
  /** Scopes of the requester; null for the service's own runs. */
  scopes: readonly string[] | null
  took_administrator: boolean
  /** The connection at the start: another one would give another snapshot. */
  connection: string
  reading: Reading | null
  /** The sealed snapshot; null while it is read. */
  root: string | null
  staged_at: string
  whole_at: string
  /** Entries of the plan by section. */
  sections: Record<string, number>
  /** The start of continuous failures of calls to the provider, in milliseconds since 1970. */
  troubled_since: number | null
}

const maxSamples = 50
const maxSampleText = 100

export const zeroCounts = (objects: readonly string[]): CountsByObject =>
  Object.fromEntries(objects.map((object) => [object, { insert: 0, update: 0, delete: 0 }]))

/** Counts a change, unless it is of an object that runs do not count. */
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

/** Skipped entries of a run together with those that its commits have noted. */
export function mergedSkips(run: Skips, noted: Skips): Skips {
  const skipped = { ...run.skipped }
  for (const [reason, count] of Object.entries(noted.skipped)) skipped[reason] = (skipped[reason] ?? 0) + count
  return { skipped, skipped_sample: [...run.skipped_sample, ...noted.skipped_sample].slice(0, maxSamples) }
}

const objectFields = v.nullable(v.record(text, v.unknown()))

/** A difference between a snapshot and the account (I4.1(5)). */
export const RunChange = v.object({
  change: v.picklist(['insert', 'update', 'delete']),
  object: text,
  name: text,
  before: objectFields,
  after: objectFields,
})
export type RunChange = v.InferOutput<typeof RunChange>
type ObjectFields = RunChange['before']

/** A change that inserts if nothing was before, and deletes if nothing is after. */
export function runChange(object: string, name: string, before: ObjectFields, after: ObjectFields): RunChange {
  const kind = before === null ? 'insert' : after === null ? 'delete' : 'update'
  return { change: kind, object, name, before, after }
}

/** The end of a run; `class` is the effect of a failure on its source (I6). */
export type Ending =
  | { outcome: 'applied' | 'previewed' | 'cancelled'; error?: string }
  | { outcome: 'stopped' | 'failed'; error: string; class: 'fatal' | 'transient' }

/** The end of a run that may not resume. */
export const cancelledEnding = ({ rewinds }: Run): Ending => ({
  outcome: 'cancelled',
  error:
    rewinds === null
      ? 'The directory or inventory was disabled, deleted or changed during the run.'
      : 'The directory was deleted, or its account was disabled, during the rewind.',
})

const minuteMicros = 60_000_000
const twoHours = 120 * minuteMicros

/** The next instant after `now` at this minute of an even hour (UTC), both in microseconds (I4.1). */
export function nextSlot(minute: number, now: number): number {
  const slot = Math.floor(now / twoHours) * twoHours + minute * minuteMicros
  return slot > now ? slot : slot + twoHours
}

/** Shows an entry of a plan. The type of a method is bivariant, so that tellers of any entries are one `PlanDescribers`. */
type PlanDescriber<E> = { changeOf(entry: E): RunChange }['changeOf']

/** The sections of a plan, in the order in which they are applied, as the list of its changes shows them. */
export type PlanDescribers<M = Record<string, unknown>> = { readonly [S in keyof M]: PlanDescriber<M[S]> }
