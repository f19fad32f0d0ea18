import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readJson } from '../data-dir.ts'
import { databaseFile } from './dynoxide.ts'

const chunk = 5_000

/**
 * Removes the stream records that every consumer has handled: the engine never does. It happens before the engine
 * opens the file, and the last record always stays, because the numbering would begin again without it.
 */
export function trimStream(dir: string): void {
  const handled = readJson<{ table: string; before: string }>(join(dir, 'stream-handled.json'))
  if (!handled || !existsSync(databaseFile(dir))) return
  const db = new DatabaseSync(databaseFile(dir), { timeout: 1_000 })
  try {
    const remove = db.prepare(
      `DELETE FROM _stream_records WHERE id IN (
         SELECT id FROM _stream_records
         WHERE table_name = :table AND CAST(sequence_number AS INTEGER) < CAST(:before AS INTEGER)
           AND id < (SELECT max(id) FROM _stream_records WHERE table_name = :table)
         LIMIT ${chunk})`,
    )
    while (remove.run({ table: handled.table, before: handled.before }).changes === chunk);
  } finally {
    db.close()
  }
}
