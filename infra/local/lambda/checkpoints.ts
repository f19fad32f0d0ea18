import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { readJson, writeAtomically } from '../files/data-dir.ts'
import { messageOf } from '../files/fault.ts'

/**
 * Last sequence number that a consumer has handled in each shard. It is stored after the work, so that a crash repeats records instead of
 * losing them.
 */
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
      const current = positions[shard]
      if (current !== undefined && BigInt(current) >= BigInt(sequence)) return
      positions[shard] = sequence
      writeAtomically(path, JSON.stringify(positions))
    },
  }
}

/**
 * Stores the position that all consumers of the table's stream have passed. The next start removes the records before this position. Write
 * errors, such as a full disk, are only logged, because an older position merely keeps more records than necessary.
 */
export function storeHandledPosition(
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
