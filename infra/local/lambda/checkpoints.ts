import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { readJson, writeAtomically } from '../files/data-dir.ts'
import { messageOf } from '../files/fault.ts'

/** How far a consumer has come in each shard of its source. Written after the work, so that a crash repeats it. */
export type StreamCheckpoint = {
  path: string
  get(shard: string): string | undefined
  set(shard: string, sequence: string): void
}

export function openCheckpoint(dir: string, name: string): StreamCheckpoint {
  const folder = join(dir, 'checkpoints')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${name}.json`)
  const positions = readJson<Record<string, string>>(path) ?? {}
  return {
    path,
    get: (shard) => positions[shard],
    set(shard, sequence) {
      const kept = positions[shard]
      if (kept !== undefined && BigInt(kept) >= BigInt(sequence)) return
      positions[shard] = sequence
      writeAtomically(path, JSON.stringify(positions))
    },
  }
}

/**
 * Notes how far every consumer of the table's stream has come: what lies before it can go at the next start. Where it cannot be
 * written, as on a full disk, the note of before stands, and more is kept than must be: nothing to end the service for.
 */
export function noteHandled(
  dir: string,
  table: string,
  shard: string,
  checkpoints: Pick<StreamCheckpoint, 'get'>[],
): void {
  const positions = checkpoints.map((checkpoint) => BigInt(checkpoint.get(shard) ?? 0))
  const [lowest = 0n] = positions.sort((left, right) => (left < right ? -1 : 1))
  const path = join(dir, 'stream-handled.json')
  try {
    writeAtomically(path, JSON.stringify({ table, before: String(lowest) }))
  } catch (error) {
    process.stderr.write(`${path} was not written: ${messageOf(error)}\n`)
  }
}
