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

/** Attributes needed to seal an entry: the fields in the API, the sort key and the leaf number. */
export const sealedAttributes = [
  ...new Set(['sk', 'leaf', ...Entry.options.flatMap(({ entries }) => Object.keys(entries))]),
]

export type EntrySource = Pick<CommitRecord, 'time' | 'subject' | 'run_id' | 'changes'>

/** Returns the content of a leaf: canonical JSON of the entry as `GET /logs/{log_id}` returns it (S1.2). */
const entryText = (item: LogItem): string => canonicalJson(v.parse(Entry, cutEntry(renderEntry(item, new Map()))))

/** Returns the leaf content of a stored entry. @throws SealDamage `altered` if the item is not a valid entry */
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

export const changeText = (record: EntrySource, position: number): string => entryText(toEntry(record, position))

function comparedContent(entry: Record<string, unknown>): string {
  const { type, log_id, timestamp, object, operation, before, after, subject, run_id } = entry
  return canonicalJson([type, log_id, timestamp, object, operation, before, after, subject, run_id])
}

/** True if the content of a stored entry matches its change in the commit record. Log ids are not compared. */
export function matchesCommit(item: LogItem, record: EntrySource, position: number): boolean {
  try {
    return comparedContent(unpackLarge(item)) === comparedContent({ ...toEntry(record, position), log_id: item.sk })
  } catch {
    // A value without a canonical form cannot equal the content of the commit.
    return false
  }
}
