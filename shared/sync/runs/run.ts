import * as v from 'valibot'
import type { Subject } from '../../core/subject.ts'

/** The phases of a run, in their order (I4.1). */
const phases = ['read', 'plan', 'brake', 'apply', 'finish'] as const
type Phase = (typeof phases)[number]

/** What runs of directories change, as their counts name it. */
export const directoryObjects = ['users', 'groups', 'memberships'] as const

/**
 * How a run ended. `stopped`: the brake, or a snapshot that is not believed. `cancelled`: what it was of was disabled,
 * deleted or changed meanwhile.
 */
const outcomes = ['applied', 'previewed', 'stopped', 'failed', 'cancelled'] as const
export type Outcome = (typeof outcomes)[number]

export type Counts = { insert: number; update: number; delete: number }
export type CountsByObject = Record<string, Counts>

/** An entry that could not be used, or was kept as it is; with its reason. */
export type RunSkipped = { idp_id: string; name: string | null; reason: string }

/** How far the lists of the provider have been read. */
export type Reading = {
  list: string
  /** Where the page begins that has the first entry which no chunk holds yet. */
  position: string | null
  /** How often the list was read again from its start. */
  restarts: number
  /** Pages in a row that have brought nothing new. */
  barren?: number
  /** How many entries of it were read, where that is counted. */
  read?: number
  /** Chunks of what was read, by list. */
  chunks: Record<string, string[]>
  /** The chunk of groups whose members are read next. */
  next: number
  /** What is known of groups whose members have been read in part. */
  scratch: string[] | null
}

/** What a run is and has come to. */
export type Run = {
  id: string
  account_id: string
  collection: string
  source_id: string
  preview: boolean
  /** The run that this one undoes (I4.1(6)); null for one that synchronises. */
  rewinds: string | null
  /** In whose commits it changes things; null for the service's own. */
  subject: Subject | null
  /** Scopes of the requester; null for the service's own runs. */
  scopes: readonly string[] | null
  started_at: string
  finished_at: string | null
  phase: Phase
  outcome: Outcome | null
  error: string | null
  seen: Record<string, number>
  planned: CountsByObject
  applied: CountsByObject
  /** True once the run has deleted an administrator, or an identity of one. */
  took_administrator: boolean
  skipped: Record<string, number>
  skipped_sample: RunSkipped[]
  /** What it reads with, as it was at the start: another connection would give another snapshot. */
  connection: string
  reading: Reading | null
  /** The sealed snapshot; null while it is read. */
  root: string | null
  staged_at: string
  whole_at: string
  /** Entries of the plan by section. */
  sections: Record<string, number>
  /** Since when every call to the provider has failed, in milliseconds since 1970. */
  troubled_since: number | null
}

/** Tells more than this of none of the entries that were skipped. */
const mostSamples = 50
const sampleText = 100

const nothingDone = (): Counts => ({ insert: 0, update: 0, delete: 0 })

export const countsOf = (objects: readonly string[]): CountsByObject =>
  Object.fromEntries(objects.map((object) => [object, nothingDone()]))

/** Counts a change of one of the objects that are counted. */
export function countChange(counts: CountsByObject, object: string, change: keyof Counts): void {
  const own = counts[object]
  if (own) own[change]++
}

type Skips = Pick<Run, 'skipped' | 'skipped_sample'>

/** Counts what was skipped; of the first ones it keeps which. */
export function noteSkipped(run: Skips, { idp_id, name, reason }: RunSkipped): void {
  run.skipped[reason] = (run.skipped[reason] ?? 0) + 1
  if (run.skipped_sample.length >= mostSamples) return
  const short = (text: string) => text.slice(0, sampleText).toWellFormed()
  run.skipped_sample.push({ idp_id: short(idp_id), name: name === null ? null : short(name), reason })
}

const text = v.string()
const counts = v.object({ insert: v.number(), update: v.number(), delete: v.number() })
const each = <S extends v.GenericSchema>(objects: readonly string[], schema: S) =>
  v.object(Object.fromEntries(objects.map((object) => [object, schema])))

/** A run as the API shows it (I4.1(4)); `objects` are the kinds of things that it changes. */
export const RunOf = (objects: readonly string[]) =>
  v.object({
    id: text,
    started_at: text,
    finished_at: v.nullable(text),
    phase: v.picklist(phases),
    outcome: v.nullable(v.picklist(outcomes)),
    error: v.nullable(text),
    seen: each(objects, v.number()),
    planned: each(objects, counts),
    applied: each(objects, counts),
    skipped: v.record(v.string(), v.number()),
    skipped_sample: v.array(v.object({ idp_id: text, name: v.nullable(text), reason: text })),
  })

/** The same of a directory, whose runs can be undone by others. */
export const DirectoryRun = v.object({ ...RunOf(directoryObjects).entries, rewinds: v.nullable(text) })

const whole = v.nullable(v.record(v.string(), v.unknown()))

/** One difference between a snapshot and the account (I4.1(5)). */
export const RunChange = v.object({
  change: v.picklist(['insert', 'update', 'delete']),
  object: text,
  name: text,
  before: whole,
  after: whole,
})
export type RunChange = v.InferOutput<typeof RunChange>
