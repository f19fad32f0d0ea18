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
  /** Stores the position if the last write is at least a second ago. Otherwise, a later `set` or `store` stores it. */
  set(shard: string, sequence: string): void
  /** Stores the positions that `set` has only kept in memory. */
  store(): void
}

/** Minimum time between two writes. Replacing a file takes milliseconds, because the file system flushes the new content to the disk. */
const writeIntervalMs = 1_000

export function openCheckpoint(dir: string, name: string): StreamCheckpoint {
  const folder = join(dir, 'checkpoints')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${name}.json`)
  const positions = readJson<Record<string, string>>(path) ?? {}
  let isStored = true
  let nextWrite = 0
  const store = () => {
    if (isStored) return
    nextWrite = performance.now() + writeIntervalMs
    writeAtomically(path, JSON.stringify(positions))
    isStored = true
  }
  return {
    path,
    get: (shard) => positions[shard],
    set(shard, sequence) {
      const current = positions[shard]
      if (current !== undefined && BigInt(current) >= BigInt(sequence)) return
      positions[shard] = sequence
      isStored = false
      if (performance.now() >= nextWrite) store()
    },
    store,
  }
}

/**
 * Stores the checkpoints, and the position that all consumers of the table's stream have passed. The next start removes the records before
 * this position. Write errors, such as a full disk, are only logged, because an older position merely keeps more records than necessary.
 */
export function storeHandledPosition(
  dir: string,
  table: string,
  shard: string,
  checkpoints: Pick<StreamCheckpoint, 'get' | 'store'>[],
): void {
  const path = join(dir, 'stream-handled.json')
  try {
    for (const checkpoint of checkpoints) checkpoint.store()
    const positions = checkpoints.map((checkpoint) => BigInt(checkpoint.get(shard) ?? 0))
    const [lowest = 0n] = positions.sort((left, right) => (left < right ? -1 : 1))
    writeAtomically(path, JSON.stringify({ table, before: String(lowest) }))
  } catch (error) {
    process.stderr.write(`${path} was not written: ${messageOf(error)}\n`)
  }
}
