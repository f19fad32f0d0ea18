import type { Key } from './keys.ts'
import { queryItems, type Range, storedPages } from './read.ts'

/**
 * Item with sorted ids of members of a set. The sort key of a chunk is an upper bound of its ids and less than
 * each id in the next chunk (decision 0049).
 */
export type Chunk = Key & { ids: string[] }

type StoredChunk = Key & { ids: unknown }

export const chunkKind = 'member_ids'

/** Number of ids above which a chunk is split. The item of a chunk of this length is at most 1 KB, which costs one write unit. */
const chunkLength = 50

/** Sort key of the last chunk, which sorts after every id. */
const lastSort = 'z'

/** Packs UUIDs into 16 bytes each. */
export const packIds = (ids: string[]): Uint8Array => Buffer.from(ids.join('').replaceAll('-', ''), 'hex')

/** Unpacks UUIDs. Returns none for an invalid value, which the row check reports. */
export function unpackIds(bytes: unknown): string[] {
  if (!(bytes instanceof Uint8Array)) return []
  const hex = Buffer.from(bytes).toString('hex')
  return (hex.match(/.{32}/g) ?? []).map((id) => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'))
}

const toChunk = ({ pk, sk, ids }: StoredChunk): Chunk => ({ pk, sk, ids: unpackIds(ids) })

export const chunkItem = ({ ids, ...key }: Chunk) => ({ ...key, kind: chunkKind, ids: packIds(ids) })

/** Reads the chunks that contain, or would contain, the ids from `first` to `last`, by default all chunks of the set. */
export async function readChunks(pk: string, between?: readonly [first: string, last: string]): Promise<Chunk[]> {
  if (!between) return (await queryItems<StoredChunk>(pk)).map(toChunk)
  const [first, last] = between
  const [others, end] = await Promise.all([
    first < last ? queryItems<StoredChunk>(pk, { between }) : [],
    queryItems<StoredChunk>(pk, { after: last, inclusive: true, limit: 1 }),
  ])
  return [...others.filter(({ sk }) => sk !== end[0]?.sk), ...end].map(toChunk)
}

/** Yields the ids in a range of chunks, chunk by chunk. The limit of the range is a number of ids. */
async function* idsByChunk(pk: string, { after, inclusive = false, backward = false, limit }: Range) {
  const isInRange = (id: string): boolean =>
    after === undefined || (inclusive && id === after) || (backward ? id < after : id > after)
  // The first id before a position can be in the chunk that ends after it.
  if (backward && after !== undefined)
    for (const { ids } of await readChunks(pk, [after, after])) yield ids.filter(isInRange).reverse()
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
  for await (const ids of idsByChunk(pk, range))
    for (const id of ids) {
      if (remaining-- <= 0) return
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
