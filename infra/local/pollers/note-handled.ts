import { join } from 'node:path'
import { writeAtomically } from '../data-dir.ts'
import { messageOf } from '../fault.ts'
import type { Checkpoint } from './checkpoints.ts'

/**
 * Notes how far every consumer of the table's stream has come: what lies before it can go at the next start. Where it cannot be
 * written, as on a full disk, the note of before stands, and more is kept than must be: nothing to end the service for.
 */
export function noteHandled(dir: string, table: string, shard: string, checkpoints: Pick<Checkpoint, 'get'>[]): void {
  const positions = checkpoints.map((checkpoint) => BigInt(checkpoint.get(shard) ?? 0))
  const [lowest = 0n] = positions.sort((left, right) => (left < right ? -1 : 1))
  const path = join(dir, 'stream-handled.json')
  try {
    writeAtomically(path, JSON.stringify({ table, before: String(lowest) }))
  } catch (error) {
    process.stderr.write(`${path} was not written: ${messageOf(error)}\n`)
  }
}
