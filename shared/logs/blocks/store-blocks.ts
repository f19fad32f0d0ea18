import { createHash } from 'node:crypto'
import { clock, dayMicros } from '../../core/clock.ts'
import { inParallel, slicesOf } from '../../core/work/in-parallel.ts'
import type { Item } from '../../table/keys.ts'
import { executeAll, insertion, insertTogether } from '../../table/statements.ts'
import { type Pack, type ReportRow, rowStart } from '../flows/packing.ts'
import { flowIds } from '../flows/stored-flow.ts'
import { type Batch, type BlockRow, encodeBlocks } from './block-content.ts'
import { archivePartition, blockPartition, bufferTtl, intervalOf, slotOf, slotSort, startSort } from './block-keys.ts'
import type { BlockItem } from './slot-source.ts'

/** Reports of one stream record, with the record's position in its batch. */
export type PositionedPack = Pack & { position: number }

/** Block to insert, with the positions of the records that it contains reports of. */
type PlannedBlock = { item: BlockItem; positions: Set<number> }

/** Requests that run concurrently, and bytes of the blocks in one request. */
const concurrency = 4
const blocksPerRequest = 10

/** Slots that this process has marked, by account. */
const markedSlots = new Map<string, number>()

/** Marks the slot, so that readers find its blocks. At most once per slot and process. */
async function markSlot(account: string, slot: number, storedAt: number): Promise<void> {
  if (markedSlots.get(account) === slot) return
  const ttl = bufferTtl(storedAt) + dayMicros / 1_000_000
  const mark: Item = { pk: archivePartition(account), sk: slotSort(slot), kind: 'flow_slot', ttl }
  await insertTogether([mark])
  if (markedSlots.size > 10_000) markedSlots.clear()
  markedSlots.set(account, slot)
}

/** Divides the reports of an account into blocks: one group per recent interval of starts, and one for older starts (R2.2). */
export function planBlocks(account: string, packs: PositionedPack[], storedAt: number): PlannedBlock[] {
  const slot = slotOf(storedAt)
  const batches = packs.map(({ claims, ingested_at }): Batch => ({ ...flowIds(claims), ingested_at }))
  const groups = new Map<number, { row: BlockRow; start: number }[]>()
  packs.forEach(({ rows, ingested_at }, number) => {
    for (const row of rows) {
      const start = rowStart(row, ingested_at)
      const interval = intervalOf(start, slot)
      const group = groups.get(interval) ?? []
      if (group.length === 0) groups.set(interval, group)
      group.push({ row: [number, ...row], start })
    }
  })
  const startOf = ([number, ...row]: BlockRow) => rowStart(row as ReportRow, packs[number]?.ingested_at ?? 0)
  return [...groups.values()].flatMap((group) => {
    const sorted = group.sort((a, b) => a.start - b.start).map(({ row }) => row)
    return encodeBlocks(batches, sorted).map(({ content, rows }): PlannedBlock => {
      const newest = startSort(startOf(rows.at(-1) as BlockRow))
      const hash = createHash('sha256').update(content).digest('hex').slice(0, 16)
      const key = { pk: blockPartition(account, slot), sk: `${newest}#${hash}` }
      const item: BlockItem = { ...key, kind: 'flow_block', content, stored_at: storedAt, ttl: bufferTtl(storedAt) }
      return { item, positions: new Set(rows.map(([number]) => packs[number]?.position ?? 0)) }
    })
  })
}

/** First record whose reports are not stored completely. `error` is absent for lack of time. */
type Unstored = { position: number; error?: unknown }

/**
 * Stores the reports of an account in blocks. Idempotent, because readers merge the reports of a flow (R2.3).
 * @param hasTime false when the function's time ends; the remaining blocks are then not stored
 * @returns one item per request that failed
 */
export async function storeBlocks(
  account: string,
  packs: PositionedPack[],
  hasTime: () => boolean,
): Promise<Unstored[]> {
  const storedAt = clock.now()
  const unstored: Unstored[] = []
  const attempt = async (positions: Iterable<number>, write: () => Promise<unknown>) => {
    const position = Math.min(...positions)
    if (!hasTime()) unstored.push({ position })
    else await write().catch((error: unknown) => unstored.push({ position, error }))
  }
  const all = packs.map(({ position }) => position)
  await attempt(all, () => markSlot(account, slotOf(storedAt), storedAt))
  if (unstored.length > 0) return unstored
  await inParallel(slicesOf(planBlocks(account, packs, storedAt), blocksPerRequest), concurrency, (blocks) => {
    const positions = blocks.flatMap((block) => [...block.positions])
    return attempt(positions, () => executeAll(blocks.map(({ item }) => insertion(item))))
  })
  return unstored
}
