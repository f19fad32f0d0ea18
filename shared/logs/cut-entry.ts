import type { ChangeEntry, LogEntry } from './log-entry.ts'

/** The most bytes of `before` and `after` of an entry together (L2.7). */
const maxSnapshotBytes = 1_000_000

const bytesOf = (value: unknown): number => (value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value)))

type Snapshot = ChangeEntry['before']

/** A snapshot without the values of some of its fields. */
const without = (snapshot: Snapshot, names: string[]): Snapshot =>
  snapshot && { ...snapshot, ...Object.fromEntries(names.flatMap((name) => (name in snapshot ? [[name, null]] : []))) }

/**
 * An entry as it is shown: a change whose snapshots are too large for one shows them without their largest fields, as
 * many as it takes, and names those.
 */
export function cutEntry(entry: LogEntry): LogEntry {
  if (entry.type !== 'change') return entry
  const { before, after } = entry
  let bytes = bytesOf(before) + bytesOf(after)
  if (bytes <= maxSnapshotBytes) return entry
  const fields = Object.keys({ ...before, ...after })
    .map((name) => ({ name, bytes: bytesOf(before?.[name]) + bytesOf(after?.[name]) }))
    .sort((a, b) => b.bytes - a.bytes)
  const truncated: string[] = []
  for (const { name, bytes: taken } of fields) {
    if (bytes <= maxSnapshotBytes) break
    truncated.push(name)
    bytes -= taken - [before, after].filter((snapshot) => snapshot && name in snapshot).length * 'null'.length
  }
  return { ...entry, before: without(before, truncated), after: without(after, truncated), truncated }
}
