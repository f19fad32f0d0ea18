import { inParallel } from '../core/work/in-parallel.ts'
import type { Item } from './keys.ts'
import { weightOf } from './large-attributes.ts'
import { insertTogether, maxStatements } from './statements.ts'

/** Requests under way at once. */
const concurrency = 4
/** A request stays far below what the table takes, however large the items are. */
const maxBytes = 1_000_000

function batchesOf(items: Item[]): Item[][] {
  const batches: Item[][] = []
  let room = 0
  for (const item of items) {
    const weight = weightOf(item)
    const last = batches.at(-1)
    if (last && last.length < maxStatements && weight <= room) last.push(item)
    else {
      batches.push([item])
      room = maxBytes
    }
    room -= weight
  }
  return batches
}

/** Inserts as `insertTogether`, any number of items of any size. @throws when an item was not stored */
export const insertAll = (items: Item[]): Promise<void> => inParallel(batchesOf(items), concurrency, insertTogether)
