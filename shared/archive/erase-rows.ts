import type { Erasure, Erasures } from '../logs/blocks/erasures.ts'
import type { LogStream } from '../logs/entries/log-id.ts'
import { type FileRow, logColumns } from '../logs/files/columns.ts'

const idColumns = ['subject_actor_id', 'initiator_actor_id', 'actor_id', 'object_id']
const textColumns = ['before', 'after']

/** Returns the columns of a stream that decide whether a row is affected by an erasure. */
export const erasureColumns = (stream: LogStream): string[] =>
  [...idColumns, ...textColumns, 'erased_at'].filter((column) => column in logColumns[stream])

/** Columns that an erased row keeps (R12.4). */
const keptColumns = new Set(['log_id', 'timestamp', 'object', 'operation'])

/** Finds overlapping UUIDs too. */
const uuids = /(?=([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))/g

export const isErased = ({ erased_at = null }: FileRow): boolean => erased_at !== null

/**
 * Returns the erasure that affects a row, because the actor is its subject, its initiator or its `actor_id`, the object of a change, or
 * mentioned in the text of a change (R12.4). Returns undefined for other rows, and for erased rows.
 */
export function erasureOf(row: FileRow, erasures: Erasures): Erasure | undefined {
  if (erasures.size === 0 || isErased(row)) return undefined
  const texts = textColumns.flatMap((column) => [...String(row[column] ?? '').matchAll(uuids)].map(([, id]) => id))
  const actor = [...idColumns.map((column) => row[column]), ...texts].find((id) => erasures.has(String(id)))
  return erasures.get(String(actor))
}

/** Erases the values of a row, and keeps its sealed leaf hash (R12.4). */
export function eraseRow(row: FileRow, leaf: Buffer, { erased_at }: Erasure): FileRow {
  const columns = Object.entries(row).map(([column, value]) => [column, keptColumns.has(column) ? value : null])
  return { ...Object.fromEntries(columns), erased_at, erased_leaf: leaf.toString('base64') }
}

/** Counts the erased rows by their `erased_at`. */
export function countErased(rows: Iterable<FileRow>): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const row of rows) {
    const at = String(row.erased_at)
    if (isErased(row)) counts[at] = (counts[at] ?? 0) + 1
  }
  return counts
}
