import * as v from 'valibot'
import type { CommitRecord } from '../../commit/commit-record.ts'
import { timestamp } from '../../core/clock.ts'
import { ApiRequestEntry, ChangeEntry, type LogEntry, SessionEntry } from '../../logs/entries/log-entry.ts'
import { logId, positionTail } from '../../logs/entries/log-id.ts'
import { readEntry } from '../../logs/entries/log-store.ts'
import type { LogItem } from '../../logs/part-reader.ts'
import { cutEntry, renderEntry } from '../../logs/render-entries.ts'
import { canonicalJson } from './canonical-json.ts'
import { SealDamage } from './seal-damage.ts'

const Entry = v.variant('type', [ChangeEntry, SessionEntry, ApiRequestEntry])

/** Attributes needed to seal an entry. */
export const sealedAttributes = ['sk', 'leaf', 'entry']

export type EntrySource = Pick<CommitRecord, 'time' | 'subject' | 'run_id' | 'changes'>

/** Returns the content of a leaf: canonical JSON of the entry as `GET /logs/{log_id}` returns it (S1.2). */
const entryText = (entry: LogEntry): string => canonicalJson(v.parse(Entry, cutEntry(entry)))

/** Returns the leaf content of a stored entry. @throws SealDamage `altered` if the item is not a valid entry */
export function storedText(item: LogItem): string {
  try {
    return entryText(renderEntry(item, new Map()))
  } catch {
    throw new SealDamage('altered', item.sk)
  }
}

function toEntry({ time, subject, run_id, changes }: EntrySource, position: number): LogEntry {
  const log_id = logId('change', time, positionTail(position))
  const entry = {
    type: 'change',
    log_id,
    timestamp: timestamp(time),
    ...changes[position],
    subject,
    run_id: run_id ?? null,
  }
  return entry as LogEntry
}

export const changeText = (record: EntrySource, position: number): string => entryText(toEntry(record, position))

function comparedContent(entry: Record<string, unknown>): string {
  const { type, timestamp, object, operation, before, after, subject, run_id } = entry
  return canonicalJson([type, timestamp, object, operation, before, after, subject, run_id])
}

/** True if the content of a stored entry matches its change in the commit record. Log ids are not compared. */
export function matchesCommit(item: LogItem, record: EntrySource, position: number): boolean {
  try {
    return comparedContent(readEntry(item)) === comparedContent(toEntry(record, position))
  } catch {
    // A value without a canonical form cannot equal the content of the commit.
    return false
  }
}
