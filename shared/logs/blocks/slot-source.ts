import { clock } from '../../core/clock.ts'
import type { Key } from '../../table/keys.ts'
import { queryItems } from '../../table/read.ts'
import { instantOf } from '../entries/log-id.ts'
import { type FlowChunk, type FlowSource, flowSource } from '../flows/merge-flows.ts'
import { type IdWalk, maxBlockBytes, readBlock } from './block-content.ts'
import { blockPartition, latestNewest, recentStart, slotMicros, slotOf, startSort } from './block-keys.ts'

/** Reports that a consumer stored together. `stored_at` is in microseconds. */
export type BlockItem = Key & { kind: 'flow_block'; content: Uint8Array; stored_at: number; ttl: number }

/** Bytes of blocks that a request reads, after a first request for one block. */
const requestBytes = [131_072, 500_000, 1_000_000] as const

/** Microseconds from the end of a slot until its blocks are read with eventual consistency, at half the price: they are complete (R2.1). */
const settledMicros = 120_000_000

const newestOf = ({ sk }: BlockItem): number => Number.parseInt(sk, 16)

/** Blocks of a slot, in the order of their newest starts. A block is decoded when one of its flows can be next. */
export class SlotSource implements FlowSource {
  bound: number | null
  private readonly account: string
  private readonly slot: number
  private readonly walk: IdWalk
  private readonly between: readonly [first: string, last: string]
  private readonly sizes: number[] = []
  private requests = 0
  private start: string | undefined

  constructor(account: string, slot: number, walk: IdWalk) {
    const [first, last] = [instantOf(walk.range.first), instantOf(walk.range.last)]
    this.account = account
    this.slot = slot
    this.walk = walk
    this.between = [startSort(first), `${startSort(latestNewest(last, slot))}~`]
    this.bound = walk.ascending ? first : last
  }

  async read(): Promise<FlowChunk> {
    const { account, slot, walk, between } = this
    const { budget } = walk
    const relaxed = slot + slotMicros + settledMicros < clock.now()
    const size = this.averageSize()
    const wanted = this.nextLimit(size)
    const limit = budget ? budget.takeBlocks(wanted, size, relaxed) : wanted
    if (limit === 0) return {}
    this.requests++
    const range = { between, start: this.start, backward: !walk.ascending, limit, relaxed }
    const blocks = await queryItems<BlockItem>(blockPartition(account, slot), range)
    const last = blocks.at(-1)
    this.start = last?.sk
    this.bound = last && blocks.length === limit ? this.boundOf(last) : null
    for (const { content } of blocks) this.sizes.push(content.length)
    budget?.settleBlocks(limit, size, blocks, relaxed)
    return { sources: blocks.map((block) => this.blockSource(block)) }
  }

  private averageSize(): number {
    const { sizes } = this
    return sizes.length === 0 ? maxBlockBytes : sizes.reduce((sum, size) => sum + size, 0) / sizes.length
  }

  private nextLimit(size: number): number {
    const bytes = requestBytes[Math.min(this.requests, requestBytes.length) - 1]
    return bytes === undefined ? 1 : Math.max(2, Math.floor(bytes / size))
  }

  /** Returns the last start of a block or of those after it. In an ascending walk, returns the first start. */
  private boundOf(block: BlockItem): number {
    const newest = newestOf(block)
    if (!this.walk.ascending) return Math.min(newest, instantOf(this.walk.range.last))
    const first = instantOf(this.walk.range.first)
    if (newest < recentStart(this.slot)) return first
    return Math.max(first, Math.min(this.slot, slotOf(newest)))
  }

  private blockSource(block: BlockItem): FlowSource {
    const { account, walk } = this
    const stored = { account, storedAt: block.stored_at, rank: `${startSort(block.stored_at)} ${block.sk}` }
    return flowSource(this.boundOf(block), () => readBlock(block.content, stored, walk))
  }
}
