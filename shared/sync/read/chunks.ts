import { createHash } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { clock, dayMicros, microsOf } from '../../core/clock.ts'
import type { LastGoodRun } from '../../domain/sync/sync-state.ts'
import { type Key, partition } from '../../table/keys.ts'
import { getItem } from '../../table/read.ts'
import { table, tableName } from '../../table/table.ts'
import type { Run } from '../runs/run.ts'
import type { RunWork } from '../runs/run-work.ts'

/** Maximum compressed size of a chunk, in bytes. A DynamoDB item can be up to 400 KB, including key and attribute names. */
const maxBytes = 350_000
/** Maximum total size of the cached decoded chunks, in characters. The cache serves repeated reads of nested groups. */
const maxDecodedBytes = 4_000_000

const chunksPartition = (account: string, sourceId: string): string => partition(account, 'sync.chunks', sourceId)

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22)

/** Content-addressed chunks of a snapshot. Unchanged chunks are not written again (docs/decisions/0025). */
export class Chunks {
  private readonly pk: string
  /** Digests of chunks that are stored and do not expire during the run. */
  private readonly retained = new Set<string>()
  private readonly ttl: number
  private readonly decoded = new Map<string, { entries: unknown[]; bytes: number }>()
  private decodedBytes = 0

  constructor(account: string, sourceId: string, ttl: number) {
    this.pk = chunksPartition(account, sourceId)
    this.ttl = ttl
  }

  /** Stores a list in one chunk, or in several if the list exceeds the maximum size. Returns the digests of the chunks. */
  async put(entries: unknown[]): Promise<string[]> {
    if (entries.length === 0) return []
    const text = JSON.stringify(entries)
    const digest = digestOf(text)
    if (this.retained.has(digest)) return [digest]
    const zstd = zstdCompressSync(text)
    if (zstd.length > maxBytes && entries.length > 1) {
      const middle = Math.ceil(entries.length / 2)
      return [...(await this.put(entries.slice(0, middle))), ...(await this.put(entries.slice(middle)))]
    }
    const item = { pk: this.pk, sk: digest, kind: 'chunk', ttl: this.ttl, entries: zstd }
    await table().send(new PutCommand({ TableName: tableName(), Item: item }))
    this.retained.add(digest)
    return [digest]
  }

  /** Stores a list in chunks whose boundaries depend on the entries' ids (see `ChunkCutter`). */
  async putInChunks<T extends { idp_id: string }>(entries: T[], mean: number): Promise<string[]> {
    const cutter = new ChunkCutter<T>(mean)
    const digests: string[] = []
    for (const entry of entries) digests.push(...(await this.put(cutter.add(entry) ?? [])))
    return [...digests, ...(await this.put(cutter.flush()))]
  }

  /**
   * Reads the entries of a chunk.
   * @throws Error if the chunk does not exist
   */
  async get<T>(digest: string): Promise<T[]> {
    const cached = this.decoded.get(digest)
    if (cached) return cached.entries as T[]
    const item = await getItem<Key & { entries: Uint8Array }>({ pk: this.pk, sk: digest })
    if (!item) throw new Error(`The part ${digest} of a snapshot is missing.`)
    const text = zstdDecompressSync(item.entries).toString()
    const entries: T[] = JSON.parse(text)
    this.cache(digest, entries, text.length)
    return entries
  }

  /**
   * Reads the root of a snapshot.
   * @throws Error if the root does not exist
   */
  async root<T>(digest: string): Promise<T> {
    const [found] = await this.get<T>(digest)
    if (!found) throw new Error(`The snapshot ${digest} is empty.`)
    return found
  }

  private cache(digest: string, entries: unknown[], bytes: number): void {
    for (const [oldest, { bytes: freed }] of this.decoded) {
      if (this.decodedBytes + bytes <= maxDecodedBytes) break
      this.decoded.delete(oldest)
      this.decodedBytes -= freed
    }
    // Adds the size only once, because concurrent calls may read the same chunk.
    if (!this.decoded.has(digest)) this.decodedBytes += bytes
    this.decoded.set(digest, { entries, bytes })
  }

  async *each<T>(digests: string[]): AsyncGenerator<T> {
    for (const digest of digests) yield* await this.get<T>(digest)
  }

  retain(digests: Iterable<string>): void {
    for (const digest of digests) this.retained.add(digest)
  }
}

/** Computes an FNV-1a hash, which distributes ids evenly and is the same in every process. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

const maxChunkBytes = 600_000

/** Splits a list into chunks at entries whose id has a certain hash, so that adding or removing an entry changes only one chunk. */
export class ChunkCutter<T extends { idp_id: string }> {
  private readonly mean: number
  private entries: T[] = []
  private bytes = 0

  constructor(mean: number) {
    this.mean = mean
  }

  get isEmpty(): boolean {
    return this.entries.length === 0
  }

  /** Adds an entry. Returns the chunk if this entry completes it, otherwise null. */
  add(entry: T): T[] | null {
    this.entries.push(entry)
    this.bytes += JSON.stringify(entry).length
    const ends = fnv1a(entry.idp_id) % this.mean === 0 || this.entries.length >= 4 * this.mean
    return ends || this.bytes > maxChunkBytes ? this.flush() : null
  }

  flush(): T[] {
    const { entries } = this
    this.entries = []
    this.bytes = 0
    return entries
  }
}

/** Days after which a chunk expires. Snapshots are reused for half of that time, so that no chunk expires during a run. */
const chunkDays = 8
const reuseDays = 4

/** Reuses the chunks of the last good run, whose digests `read` returns. Returns null if the snapshot is too old or incomplete. */
export async function reuseLastSnapshot<T extends { digests: string[] }>(
  { run }: RunWork,
  chunks: Chunks,
  last: LastGoodRun | undefined,
  read: (root: string) => Promise<T>,
): Promise<T | null> {
  if (!last || microsOf(last.staged_at) < clock.now() - reuseDays * dayMicros) return null
  try {
    const found = await read(last.root)
    chunks.retain([last.root, ...found.digests])
    run.staged_at = last.staged_at
    return found
  } catch {
    return null
  }
}

export async function completeSnapshot(run: Run, chunks: Chunks, root: object): Promise<void> {
  const [digest = null] = await chunks.put([root])
  run.root = digest
  run.reading = null
}

export const openChunks = ({ run }: RunWork): Chunks =>
  new Chunks(run.account_id, run.source_id, Math.ceil((clock.now() + chunkDays * dayMicros) / 1_000_000))

const maxLength = 255

/** Returns whether a provider's id can be part of a key: at most 255 characters of well-formed Unicode. */
export const isStorableId = (id: string): boolean => id.length <= maxLength && id.isWellFormed()
