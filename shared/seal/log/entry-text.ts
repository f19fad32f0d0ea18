import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import type { CommitRecord } from '../../commit/commit-record.ts'
import { timestamp } from '../../core/clock.ts'
import { isObject } from '../../core/json/is-object.ts'
import { cutEntry } from '../../logs/cut-entry.ts'
import { ApiRequestEntry, ChangeEntry, SessionEntry } from '../../logs/log-entry.ts'
import { logId, positionTail } from '../../logs/log-id.ts'
import type { LogItem } from '../../logs/part-reader.ts'
import { renderEntry } from '../../logs/render-entries.ts'
import { unpackLarge } from '../../table/large-attributes.ts'
import { canonicalJson } from './canonical-json.ts'
import { SealDamage } from './seal-damage.ts'

const Entry = v.variant('type', [ChangeEntry, SessionEntry, ApiRequestEntry])

/** What is read of an entry that is sealed: all that it shows, its key, and its number. */
export const sealedAttributes = [
  ...new Set(['sk', 'leaf', ...Entry.options.flatMap(({ entries }) => Object.keys(entries))]),
]

/** What an entry of the change log is made of. */
export type EntrySource = Pick<CommitRecord, 'time' | 'subject' | 'run_id' | 'changes'>

/** What a leaf is the hash of: the entry as `GET /logs/{log_id}` shows it, in its canonical form (S1.2). */
const entryText = (item: LogItem): string => canonicalJson(v.parse(Entry, cutEntry(renderEntry(item, new Map()))))

/** The same of an entry that was read from the table. @throws SealDamage for one that says what no entry does */
export function storedText(item: LogItem): string {
  try {
    return entryText(item)
  } catch {
    throw new SealDamage('altered', item.sk)
  }
}

/** The entry that a commit says there is. */
function entryOf({ time, subject, run_id, changes }: EntrySource, position: number): LogItem {
  const id = logId('change', time, positionTail(position))
  const common = { sk: id, type: 'change', log_id: id, timestamp: timestamp(time) }
  return { ...common, ...changes[position], subject, run_id: run_id ?? null } as LogItem
}

/** The same of the entry that a commit says there is. */
export const changeText = (record: EntrySource, position: number): string => entryText(entryOf(record, position))

const isPlain = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && Object.getPrototypeOf(value) === Object.prototype

/** Node's own comparison knows all there is in JavaScript, and takes several times as long for what JSON has. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (!isPlain(one) || !isPlain(other)) return isDeepStrictEqual(one, other)
  const names = Object.keys(one)
  if (names.length !== Object.keys(other).length) return false
  return names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
}

/** Tells if an entry, which was found by its id, says what its commit does. */
export function saysSame(item: LogItem, { time, subject, run_id, changes }: EntrySource, position: number): boolean {
  const stored = unpackLarge(item) as LogItem & Record<string, unknown>
  const { object, operation, before, after } = changes[position] ?? {}
  const isOwn = stored.type === 'change' && stored.log_id === item.sk && stored.timestamp === timestamp(time)
  const isChange = stored.object === object && stored.operation === operation
  const pairs = [
    [stored.before, before],
    [stored.after, after],
    [stored.subject, subject],
    [stored.run_id, run_id],
  ]
  return isOwn && isChange && pairs.every(([one, other]) => isSame(one ?? null, other ?? null))
}
