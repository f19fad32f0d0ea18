import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { readJson, writeAtomically } from '../data-dir.ts'

/** How far a consumer has come in each shard of its source. Written after the work, so that a crash repeats it. */
export type Checkpoint = {
  path: string
  get(shard: string): string | undefined
  set(shard: string, sequence: string): void
}

export function openCheckpoint(dir: string, name: string): Checkpoint {
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
