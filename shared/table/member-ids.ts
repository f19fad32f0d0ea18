import type { Key } from './keys.ts'
import { type Range, storedPages } from './read.ts'

/**
 * Item with sorted ids of members of a set. The sort key of a chunk is an upper bound of its ids and less than
 * each id in the next chunk (decision 0049).
 */
export type Chunk = Key & { ids: string[] }

type StoredChunk = Key & { ids: unknown }

/** Number of ids above which a chunk is split. The item of a chunk of this length is at most 1 KB, which costs one write unit. */
const chunkLength = 50

/** Sort key of the last chunk, which sorts after every id. */
const lastSort = 'z'

/** Packs UUIDs into 16 bytes each. */
export const packIds = (ids: string[]): Uint8Array => Buffer.from(ids.join('').replaceAll('-', ''), 'hex')

/** Unpacks UUIDs. Ignores what cannot be one, whose members the row check reports as missing. */
export function unpackIds(bytes: unknown): string[] {
  if (!(bytes instanceof Uint8Array)) return []
  const hex = Buffer.from(bytes).toString('hex')
  return (hex.match(/.{32}/g) ?? []).map((id) => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'))
}

const toChunk = ({ pk, sk, ids }: StoredChunk): Chunk => ({ pk, sk, ids: unpackIds(ids) })

export const chunkItem = ({ ids, ...key }: Chunk) => ({ ...key, kind: 'member_ids', ids: packIds(ids) })

async function queryChunks(pk: string, range: Range = {}): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  for await (const page of storedPages<StoredChunk>(pk, range)) chunks.push(...page.map(toChunk))
  return chunks
}

/** Reads the chunk that contains, or would contain, an id. */
const chunkOf = (pk: string, id: string): Promise<Chunk[]> => queryChunks(pk, { after: id, inclusive: true, limit: 1 })

/**
 * Reads the chunks that contain, or would contain, the given ids, by default all chunks of the set. First reads the run of chunks between
 * the smallest and the largest id, at most one per id. If the set has more chunks in between, the ids after the run are looked up one by
 * one. The chunk of the largest id can end after it, and is always looked up.
 */
export async function readChunks(pk: string, ids?: string[]): Promise<Chunk[]> {
  if (!ids) return queryChunks(pk)
  const sorted = ids.toSorted()
  const [first, last] = [sorted[0], sorted.at(-1)]
  if (first === undefined || last === undefined) return []
  const [run, chunkOfLast] = await Promise.all([
    first < last ? queryChunks(pk, { between: [first, last], limit: ids.length }) : [],
    chunkOf(pk, last),
  ])
  const runEnd = run.length < ids.length ? last : (run.at(-1)?.sk ?? last)
  const beyondRun = await Promise.all(sorted.filter((id) => id > runEnd).map((id) => chunkOf(pk, id)))
  const chunks = new Map([...run, ...beyondRun.flat(), ...chunkOfLast].map((chunk) => [chunk.sk, chunk]))
  return [...chunks.values()].sort((a, b) => (a.sk < b.sk ? -1 : 1))
}

/** Yields the ids in a range of chunks, chunk by chunk. The limit of the range is a number of ids. */
async function* idsByChunk(pk: string, { after, inclusive = false, backward = false, limit }: Range) {
  const isInRange = (id: string): boolean =>
    after === undefined || (inclusive && id === after) || (backward ? id < after : id > after)
  // The first id before a position can be in the chunk that ends after it.
  if (backward && after !== undefined)
    for (const { ids } of await chunkOf(pk, after)) yield ids.filter(isInRange).reverse()
  const pageLength = limit === undefined ? undefined : 2 + Math.ceil((2 * limit) / chunkLength)
  for await (const page of storedPages<StoredChunk>(pk, { after, inclusive: !backward, backward, pageLength })) {
    for (const chunk of page) {
      const ids = unpackIds(chunk.ids).filter(isInRange)
      yield backward ? ids.reverse() : ids
    }
  }
}

/** Yields the sorted ids of the members of a set, or those in a range. */
export async function* memberIdsIn(pk: string, range: Range = {}): AsyncGenerator<string, undefined> {
  let remaining = range.limit ?? Number.POSITIVE_INFINITY
  let last: string | undefined
  for await (const ids of idsByChunk(pk, range))
    for (const id of ids) {
      // Skips an id that was read before, because a chunk can be split between two queries.
      if (last !== undefined && (range.backward ? id >= last : id <= last)) continue
      if (remaining-- <= 0) return
      last = id
      yield id
    }
}

/** Returns the sorted ids of the members of a set, or those in a range. */
export const readMemberIds = (pk: string, range?: Range): Promise<string[]> => Array.fromAsync(memberIdsIn(pk, range))

/** Returns the index of the chunk that contains, or would contain, an id: the first chunk that ends at or after it. */
function chunkIndex(chunks: Chunk[], id: string): number {
  let [low, high] = [0, chunks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((chunks[middle] as Chunk).sk < id) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns whether the chunks contain an id. */
export const containsId = (chunks: Chunk[], id: string): boolean => {
  const index = chunkIndex(chunks, id)
  return chunks[index]?.ids.includes(id) ?? false
}

/** Returns how many of the sorted ids can change together if each takes one write, and each chunk that contains them takes one more. */
export function fittingCount(chunks: Chunk[], ids: string[], maxWrites: number): number {
  let writes = 0
  let lastIndex: number | undefined
  for (const [count, id] of ids.entries()) {
    const index = chunkIndex(chunks, id)
    writes += index === lastIndex ? 1 : 2
    if (writes > maxWrites) return count
    lastIndex = index
  }
  return ids.length
}

/** Ids to add to a set and to remove from it. */
export type IdChanges = { added: Set<string>; removed: Set<string> }

/** Adds and removes ids. Returns the changed chunks, of any length; one without ids is to be removed. */
export function changeChunks(pk: string, chunks: Chunk[], { added, removed }: IdChanges): Chunk[] {
  const changed = new Map<string, Set<string>>()
  const idsAt = (id: string): Set<string> => {
    const { sk, ids } = chunks[chunkIndex(chunks, id)] ?? { sk: lastSort, ids: [] }
    const found = changed.get(sk) ?? new Set(ids)
    changed.set(sk, found)
    return found
  }
  for (const id of removed) idsAt(id).delete(id)
  for (const id of added) idsAt(id).add(id)
  return [...changed].map(([sk, ids]) => ({ pk, sk, ids: [...ids].sort() }))
}

/** Splits a chunk that is too long into at most `maxParts` equal parts. */
export function splitChunk({ pk, sk, ids }: Chunk, maxParts: number): Chunk[] {
  const parts = Math.max(1, Math.min(maxParts, Math.ceil(ids.length / chunkLength)))
  const bounds = Array.from({ length: parts + 1 }, (_, part) => Math.round((part * ids.length) / parts))
  return bounds
    .slice(1)
    .map((end, part) => ({ pk, sk: (part < parts - 1 && ids[end - 1]) || sk, ids: ids.slice(bounds[part], end) }))
}
