import { createHash } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { table, tableName } from '../../table/client.ts'
import { PutCommand } from '../../table/commands.ts'
import { type Key, partition } from '../../table/keys.ts'
import { getItem } from '../../table/read.ts'

/** An item holds 400 KB with its key and names. */
const maxBytes = 350_000
/** Text of decoded chunks that are kept at hand, since members of nested groups are asked for over and over. */
const mostKeptBytes = 4_000_000

const chunksPartition = (account: string, sourceId: string): string => partition(account, 'sync.chunks', sourceId)

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22)

/**
 * What a run has read, in parts that are named by what they hold: a part that the last good snapshot has as well is not
 * written again, so that a directory in which nothing changes costs no writes (docs/decisions/0025).
 */
export class Chunks {
  private readonly pk: string
  /** Those that lie in the table for longer than a run takes. */
  private readonly alive: Set<string>
  private readonly ttl: number
  private readonly kept = new Map<string, { entries: unknown[]; bytes: number }>()
  private keptBytes = 0

  constructor(account: string, sourceId: string, ttl: number, alive: Iterable<string> = []) {
    this.pk = chunksPartition(account, sourceId)
    this.ttl = ttl
    this.alive = new Set(alive)
  }

  /** Stores a list in as many chunks as it takes; none for an empty one. */
  async put(entries: unknown[]): Promise<string[]> {
    if (entries.length === 0) return []
    const text = JSON.stringify(entries)
    const digest = digestOf(text)
    if (this.alive.has(digest)) return [digest]
    const zstd = zstdCompressSync(text)
    if (zstd.length > maxBytes && entries.length > 1) {
      const middle = Math.ceil(entries.length / 2)
      return [...(await this.put(entries.slice(0, middle))), ...(await this.put(entries.slice(middle)))]
    }
    const item = { pk: this.pk, sk: digest, kind: 'chunk', ttl: this.ttl, entries: zstd }
    await table().send(new PutCommand({ TableName: tableName(), Item: item }))
    this.alive.add(digest)
    return [digest]
  }

  /** @throws Error when it is not there any more */
  async get<T>(digest: string): Promise<T[]> {
    const known = this.kept.get(digest)
    if (known) return known.entries as T[]
    const item = await getItem<Key & { entries: Uint8Array }>({ pk: this.pk, sk: digest })
    if (!item) throw new Error(`The part ${digest} of a snapshot is gone.`)
    const text = zstdDecompressSync(item.entries).toString()
    const entries: T[] = JSON.parse(text)
    this.keepAtHand(digest, entries, text.length)
    return entries
  }

  /** Makes room among the oldest. */
  private keepAtHand(digest: string, entries: unknown[], bytes: number): void {
    for (const [oldest, { bytes: freed }] of this.kept) {
      if (this.keptBytes + bytes <= mostKeptBytes) break
      this.kept.delete(oldest)
      this.keptBytes -= freed
    }
    // Two that ask for the same at once count it once.
    if (!this.kept.has(digest)) this.keptBytes += bytes
    this.kept.set(digest, { entries, bytes })
  }

  /** The entries of chunks, one after the other. */
  async *each<T>(digests: string[]): AsyncGenerator<T> {
    for (const digest of digests) yield* await this.get<T>(digest)
  }

  /** From now on these need not be written. */
  keep(digests: Iterable<string>): void {
    for (const digest of digests) this.alive.add(digest)
  }
}

/** FNV-1a: spreads ids evenly, and says the same in every process. */
function spread(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

const mostChunkBytes = 600_000

/**
 * Cuts a list into chunks where its entries say so, not where pages end: an entry that comes or goes changes one chunk, and
 * all others stay what they were.
 */
export class ChunkCutter<T extends { idp_id: string }> {
  private readonly mean: number
  private entries: T[] = []
  private bytes = 0

  /** @param mean about so many entries make a chunk */
  constructor(mean: number) {
    this.mean = mean
  }

  get isEmpty(): boolean {
    return this.entries.length === 0
  }

  /** Adds an entry; the chunk, when it ends with it. */
  add(entry: T): T[] | null {
    this.entries.push(entry)
    this.bytes += JSON.stringify(entry).length
    const ends = spread(entry.idp_id) % this.mean === 0 || this.entries.length >= 4 * this.mean
    return ends || this.bytes > mostChunkBytes ? this.rest() : null
  }

  /** What is left when the list has ended. */
  rest(): T[] {
    const { entries } = this
    this.entries = []
    this.bytes = 0
    return entries
  }
}
