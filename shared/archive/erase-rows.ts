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

/**
 * Returns the erasure that affects a row, because the actor is its subject, its initiator or its `actor_id`, the object of a change, or
 * mentioned in the text of a change (R12.4). Returns undefined for other rows, and for erased rows.
 */
export function erasureOf(row: FileRow, erasures: Erasures): Erasure | undefined {
  if (erasures.size === 0 || (row.erased_at ?? null) !== null) return undefined
  const texts = textColumns.flatMap((column) => [...String(row[column] ?? '').matchAll(uuids)].map(([, id]) => id))
  const actor = [...idColumns.map((column) => row[column]), ...texts].find((id) => erasures.has(String(id)))
  return erasures.get(String(actor))
}

/** Erases the values of a row, and keeps its sealed leaf hash (R12.4). */
export function eraseRow(row: FileRow, leaf: Buffer, { erased_at }: Erasure): FileRow {
  const columns = Object.entries(row).map(([column, value]) => [column, keptColumns.has(column) ? value : null])
  return { ...Object.fromEntries(columns), erased_at, erased_leaf: leaf.toString('base64') }
}

/** Counts the rows that each erasure has erased, by its id. */
export function countErased(rows: Iterable<FileRow>, erasures: Erasures): Record<string, number> {
  const ids = new Map([...erasures.values()].map(({ erased_at, id }) => [erased_at, id]))
  const counts: Record<string, number> = {}
  for (const { erased_at } of rows) {
    const id = ids.get(Number(erased_at ?? Number.NaN))
    if (id) counts[id] = (counts[id] ?? 0) + 1
  }
  return counts
}
