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

/** Attributes of a sealed entry: those in the API, its sort key, and its leaf number. */
export const sealedAttributes = [
  ...new Set(['sk', 'leaf', ...Entry.options.flatMap(({ entries }) => Object.keys(entries))]),
]

/** Fields of a commit record that determine its change log entries. */
export type EntrySource = Pick<CommitRecord, 'time' | 'subject' | 'run_id' | 'changes'>

/** Content of a leaf: canonical JSON of the entry as `GET /logs/{log_id}` returns it (S1.2). */
const entryText = (item: LogItem): string => canonicalJson(v.parse(Entry, cutEntry(renderEntry(item, new Map()))))

/** Leaf content of a stored entry. @throws SealDamage `altered` for an item that is not a valid entry */
export function storedText(item: LogItem): string {
  try {
    return entryText(item)
  } catch {
    throw new SealDamage('altered', item.sk)
  }
}

function toEntry({ time, subject, run_id, changes }: EntrySource, position: number): LogItem {
  const id = logId('change', time, positionTail(position))
  const common = { sk: id, type: 'change', log_id: id, timestamp: timestamp(time) }
  return { ...common, ...changes[position], subject, run_id: run_id ?? null } as LogItem
}

/** Leaf content of a change, computed from its commit record. */
export const changeText = (record: EntrySource, position: number): string => entryText(toEntry(record, position))

function comparedContent(entry: Record<string, unknown>): string {
  const { type, log_id, timestamp, object, operation, before, after, subject, run_id } = entry
  return canonicalJson([type, log_id, timestamp, object, operation, before, after, subject, run_id])
}

/** True if a stored entry has the content of its change in the commit record. The log id is not compared. */
export function matchesCommit(item: LogItem, record: EntrySource, position: number): boolean {
  try {
    return comparedContent(unpackLarge(item)) === comparedContent({ ...toEntry(record, position), log_id: item.sk })
  } catch {
    // The entry has a value without a canonical form.
    return false
  }
}
