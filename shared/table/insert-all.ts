import { inParallel } from '../core/work/in-parallel.ts'
import type { Item } from './keys.ts'
import { weightOf } from './large-attributes.ts'
import { insertTogether, maxStatements } from './statements.ts'

const concurrency = 4
/** Maximum bytes of a request, far below DynamoDB's limit of 16 MB. */
const maxBytes = 1_000_000

function batchesOf(items: Item[]): Item[][] {
  const batches: Item[][] = []
  let capacity = 0
  for (const item of items) {
    const weight = weightOf(item)
    const last = batches.at(-1)
    if (last && last.length < maxStatements && weight <= capacity) last.push(item)
    else {
      batches.push([item])
      capacity = maxBytes
    }
    capacity -= weight
  }
  return batches
}

/** Inserts any number of items, and keeps items that already exist. Idempotent. @throws Error when an item was not stored */
export const insertAll = (items: Item[]): Promise<void> => inParallel(batchesOf(items), concurrency, insertTogether)
