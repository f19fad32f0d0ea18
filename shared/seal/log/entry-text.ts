import * as v from 'valibot'
import type { CommitRecord } from '../../commit/commit-record.ts'
import { timestamp } from '../../core/clock.ts'
import { ApiRequestEntry, ChangeEntry, SessionEntry } from '../../logs/entries/log-entry.ts'
import { logId, positionTail } from '../../logs/entries/log-id.ts'
import type { LogItem } from '../../logs/part-reader.ts'
import { cutEntry, renderEntry } from '../../logs/render-entries.ts'
import { unpackLarge } from '../../table/large-attributes.ts'
import { canonicalJson } from './canonical-json.ts'
import { SealDamage } from './seal-damage.ts'

const Entry = v.variant('type', [ChangeEntry, SessionEntry, ApiRequestEntry])

/** Attributes of a sealed entry: all that the API shows, its key, and its number. */
export const sealedAttributes = [
  ...new Set(['sk', 'leaf', ...Entry.options.flatMap(({ entries }) => Object.keys(entries))]),
]

/** Source of entries of the change log. */
export type EntrySource = Pick<CommitRecord, 'time' | 'subject' | 'run_id' | 'changes'>

/** The text that a leaf is the hash of: the entry as `GET /logs/{log_id}` shows it, in its canonical form (S1.2). */
const entryText = (item: LogItem): string => canonicalJson(v.parse(Entry, cutEntry(renderEntry(item, new Map()))))

/** The text of the leaf of a stored entry. @throws SealDamage for one that is not in the form of an entry */
export function storedText(item: LogItem): string {
  try {
    return entryText(item)
  } catch {
    throw new SealDamage('altered', item.sk)
  }
}

function entryOf({ time, subject, run_id, changes }: EntrySource, position: number): LogItem {
  const id = logId('change', time, positionTail(position))
  const common = { sk: id, type: 'change', log_id: id, timestamp: timestamp(time) }
  return { ...common, ...changes[position], subject, run_id: run_id ?? null } as LogItem
}

/** The text of the leaf of a change, by its commit. */
export const changeText = (record: EntrySource, position: number): string => entryText(entryOf(record, position))

function saidBy(entry: Record<string, unknown>): string {
  const { type, log_id, timestamp, object, operation, before, after, subject, run_id } = entry
  return canonicalJson([type, log_id, timestamp, object, operation, before, after, subject, run_id])
}

/** True for an entry with the content of its commit, which it was found by. */
export function saysSame(item: LogItem, record: EntrySource, position: number): boolean {
  try {
    return saidBy(unpackLarge(item)) === saidBy({ ...entryOf(record, position), log_id: item.sk })
  } catch {
    // The entry has a value without a form in JSON.
    return false
  }
}
