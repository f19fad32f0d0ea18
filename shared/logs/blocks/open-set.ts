import { clock, hourMicros } from '../../core/clock.ts'
import { type Key, partition } from '../../table/keys.ts'
import { putItem } from '../../table/put-item.ts'
import { queryItems, storedPages } from '../../table/read.ts'
import { instantOf, lastLogMicros } from '../entries/log-id.ts'
import { type FlowChunk, type FlowSource, flowSource } from '../flows/merge-flows.ts'
import type { BufferedFlow } from '../flows/stored-flow.ts'
import type { ArchiveView } from './archive-view.ts'
import { encodeFlows, type IdWalk, maxBlockBytes, readBlock } from './block-content.ts'
import { bufferTtl, hourSort, parseHour, partSort } from './block-keys.ts'

/**
 * Part of a version of the flows that started in an hour and were open after an hour was flushed. The parts of a version divide the flows in
 * the order of their log ids. A version without flows replaces an earlier one.
 */
type OpenItem = Key & { kind: 'flow_open'; content?: Uint8Array; stored_at: number; ttl: number }

const openSetPartition = (account: string): string => partition(account, 'log.flow.open')

/** Flows of an hour that were open after `flushedHour`. `parts` are blocks, which divide the flows in the order of their log ids. */
export type OpenVersion = { hour: number; flushedHour: number; storedAt: number; parts: Uint8Array[] }

/**
 * Returns the newest version of each hour before the watermark. Skips expired versions, because the table can delete a newer version before
 * an older one.
 */
function newestVersions(items: OpenItem[], watermark: number): OpenVersion[] {
  const versions = new Map<string, OpenVersion>()
  const now = clock.now()
  for (const { sk, content, stored_at: storedAt, ttl } of items) {
    if (ttl * 1_000_000 <= now) continue
    const [hour = '', flushed = ''] = sk.split('#')
    const flushedHour = parseHour(flushed)
    const other = versions.get(hour)
    if (flushedHour >= watermark || (other && other.flushedHour > flushedHour)) continue
    const version =
      other?.flushedHour === flushedHour ? other : { hour: parseHour(hour), flushedHour, storedAt, parts: [] }
    if (content) version.parts.push(content)
    versions.set(hour, version)
  }
  return [...versions.values()]
}

const range = (first: number, last: number) => [hourSort(first), `${hourSort(last)}~`] as [string, string]

/** Yields the versions of all hours from `first` to `last`, in microseconds, that readers use before the watermark. */
export async function* openVersions(
  account: string,
  watermark: number,
  [first, last]: [first: number, last: number] = [0, lastLogMicros],
): AsyncGenerator<OpenVersion> {
  let pending: OpenItem[] = []
  for await (const page of storedPages<OpenItem>(openSetPartition(account), { between: range(first, last) })) {
    pending.push(...page)
    const hour = pending.at(-1)?.sk.slice(0, 13)
    yield* newestVersions(
      pending.filter(({ sk }) => !sk.startsWith(`${hour}#`)),
      watermark,
    )
    pending = pending.filter(({ sk }) => sk.startsWith(`${hour}#`))
  }
  yield* newestVersions(pending, watermark)
}

/** Flows that were open after the last flush, by the hour of their start. */
export class OpenSetSource implements FlowSource {
  bound: number | null
  private readonly view: ArchiveView
  private readonly walk: IdWalk
  private readonly between: readonly [first: string, last: string]
  /** Items of an hour that is not read completely. */
  private pending: OpenItem[] = []
  private limit = 1
  private start: string | undefined

  constructor(view: ArchiveView, walk: IdWalk) {
    const [first, last] = [instantOf(walk.range.first), instantOf(walk.range.last)]
    this.view = view
    this.walk = walk
    this.between = range(first, last)
    this.bound = walk.ascending ? first : last
  }

  async read(): Promise<FlowChunk> {
    const { walk, between } = this
    const { account, watermark, relaxed } = this.view
    const { budget } = walk
    const limit = budget ? budget.takeBlocks(this.limit, maxBlockBytes, relaxed) : this.limit
    if (limit === 0) return {}
    const page = { between, start: this.start, backward: !walk.ascending, limit, relaxed }
    const items = await queryItems<OpenItem>(openSetPartition(account), page)
    budget?.settleBlocks(limit, maxBlockBytes, items, relaxed)
    this.limit = Math.min(limit * 4, 1_000)
    const last = items.at(-1)
    this.start = last?.sk
    const read = [...this.pending, ...items]
    if (!last || items.length < limit) {
      this.bound = null
      this.pending = []
    } else {
      const name = last.sk.slice(0, 13)
      const isPending = ({ sk }: OpenItem) => sk.startsWith(`${name}#`)
      this.pending = read.filter(isPending)
      read.splice(0, read.length, ...read.filter((item) => !isPending(item)))
      const hour = parseHour(name)
      this.bound = walk.ascending ? Math.max(this.bound ?? 0, hour) : Math.min(this.bound ?? 0, hour + hourMicros - 1)
    }
    const versions = newestVersions(walk.ascending ? read : read.toReversed(), watermark)
    return { sources: versions.map((version) => versionSource(account, version, walk)) }
  }
}

/** Rank of an open flow. It precedes those of blocks, because the reports of open flows were stored first. */
export const openRank = ''

export function* openFlows(account: string, { parts, storedAt }: OpenVersion, walk: IdWalk): Generator<BufferedFlow> {
  for (const part of walk.ascending ? parts : parts.toReversed())
    yield* readBlock(part, { account, storedAt, rank: openRank }, walk)
}

function versionSource(account: string, version: OpenVersion, walk: IdWalk): FlowSource {
  const [first, last] = [instantOf(walk.range.first), instantOf(walk.range.last)]
  const bound = walk.ascending ? Math.max(first, version.hour) : Math.min(last, version.hour + hourMicros - 1)
  return flowSource(bound, () => openFlows(account, version, walk))
}

/** Stores a version of the open flows of an hour, sorted by log id. Idempotent. */
export async function putOpenVersion(account: string, hour: number, flushedHour: number, flows: BufferedFlow[]) {
  const stored_at = clock.now()
  const item = { kind: 'flow_open' as const, stored_at, ttl: bufferTtl(stored_at) }
  const parts: (Uint8Array | undefined)[] = flows.length > 0 ? encodeFlows(flows) : [undefined]
  const pk = openSetPartition(account)
  for (const [part, content] of parts.entries())
    await putItem({
      pk,
      sk: `${hourSort(hour)}#${hourSort(flushedHour)}#${partSort(part)}`,
      ...item,
      ...(content && { content }),
    })
}
