import { inParallel } from '../../core/work/in-parallel.ts'
import { type Item, type Key, partition } from '../../table/keys.ts'
import { catchRefusal, putItem } from '../../table/put-item.ts'
import { getItem, getItems, queryItems } from '../../table/read.ts'
import { SealDamage } from '../log/seal-damage.ts'
import type { HourStream } from '../log/sealed-log.ts'
import { type HashReader, hashBytes } from '../merkle/merkle-proof.ts'
import { idBytes, partialWidths, type StoredTile, tileHashes, tileWidth } from '../merkle/tiles.ts'

/** Partition of the tree over an hour's entries (S1.3). Contains the tiles, and an index of the tiles by entry. */
export const hourPartition = (account: string, stream: HourStream, hour: string): string =>
  partition(account, 'seal.hour', stream, hour)

export const hourKey = (account: string, stream: HourStream, hour: string): Key => ({
  pk: hourPartition(account, stream, hour),
  sk: 'tree',
})

const tileKey = (pk: string, level: number, index: number): Key => ({
  pk,
  sk: `tile#${level}#${String(index).padStart(14, '0')}`,
})

const indexSort = (id: string): string => `from#${id}`

type TileItem = Key & { hashes: Uint8Array; ids?: Uint8Array }

const bytesOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Builds the items of a tile. A leaf tile that starts at or after leaf `from` also has an index item, keyed by its first entry. */
function tileItems(pk: string, from: number, { level, index, hashes, ids }: StoredTile): Item[] {
  const tile = { ...tileKey(pk, level, index), kind: 'seal_tile', hashes, ...(ids && { ids }) }
  if (!ids || from > index * tileWidth) return [tile]
  return [tile, { pk, sk: indexSort(ids.toString('hex', 0, idBytes)), kind: 'seal_index', tile: index }]
}

const concurrency = 8

/** Puts a tile item without replacing a longer tile. @throws SealDamage `tile` if the longer tile has different hashes */
async function putTileItem(item: Item & Partial<TileItem>): Promise<void> {
  const { pk, sk, hashes } = item
  const condition = hashes && {
    ConditionExpression: 'attribute_not_exists(hashes) OR size(hashes) <= :bytes',
    ExpressionAttributeValues: { ':bytes': hashes.length },
  }
  await catchRefusal(putItem(item, condition), async () => {
    const longer = await getItem<TileItem>({ pk, sk })
    const isOfTree = longer && hashes && bytesOf(longer.hashes).subarray(0, hashes.length).equals(hashes)
    if (!isOfTree) throw new SealDamage('tile', `${pk} ${sk}`)
  })
}

/** Stores the changed tiles of a tree that previously had `from` leaves. Idempotent. @throws SealDamage `tile` */
export const putTiles = (pk: string, from: number, tiles: StoredTile[]): Promise<void> =>
  inParallel(
    tiles.flatMap((tile) => tileItems(pk, from, tile)),
    concurrency,
    putTileItem,
  )

const readTiles = (pk: string, locations: { level: number; index: number }[]) =>
  getItems<TileItem>(locations.map(({ level, index }) => tileKey(pk, level, index)))

/** Reads the partial tiles at the right edge of a tree. The tiles are truncated to the hashes of a tree with `size` leaves. */
export async function edgeTiles(pk: string, size: number): Promise<StoredTile[]> {
  const locations = partialWidths(size).flatMap((width, level) =>
    width === 0 ? [] : [{ level, index: Math.floor(size / tileWidth ** (level + 1)), width }],
  )
  const items = await readTiles(pk, locations)
  return locations.flatMap(({ level, index, width }, i): StoredTile[] => {
    const { hashes, ids } = items[i] ?? {}
    if (!hashes) return []
    const tile = { level, index, hashes: bytesOf(hashes).subarray(0, width * hashBytes) }
    return [ids ? { ...tile, ids: bytesOf(ids) } : tile]
  })
}

export const tableHashes = (pk: string): HashReader =>
  tileHashes(async (locations) => (await readTiles(pk, locations)).map((item) => item && bytesOf(item.hashes)))

const idsOf = (bytes: Buffer): string[] => bytes.toString('hex').match(/.{24}/g) ?? []

/** Finds a leaf by the id of its entry or hour. Returns null if the tree has no such leaf. */
export async function findLeaf(pk: string, id: string): Promise<{ index: number; hash: Buffer } | null> {
  const range = { after: indexSort(id), inclusive: true, backward: true, limit: 1 }
  const [first] = await queryItems<Key & { tile?: number }>(pk, range)
  if (first?.tile === undefined) return null
  const [item] = await readTiles(pk, [{ level: 0, index: first.tile }])
  const at = item?.ids ? idsOf(bytesOf(item.ids)).indexOf(id) : -1
  if (!item || at < 0) return null
  const hash = bytesOf(item.hashes).subarray(at * hashBytes, (at + 1) * hashBytes)
  return { index: first.tile * tileWidth + at, hash }
}

/** Yields the leaves with ids from `first` to `last`, in order. */
export async function* leavesBetween(
  pk: string,
  first: string,
  last: string,
): AsyncGenerator<{ id: string; hash: Buffer }, undefined> {
  const range = { after: indexSort(first), inclusive: true, backward: true, limit: 1 }
  const [start] = await queryItems<Key & { tile?: number }>(pk, range)
  for (let index = start?.tile ?? 0; ; index++) {
    const [item] = await readTiles(pk, [{ level: 0, index }])
    const ids = item?.ids ? idsOf(bytesOf(item.ids)) : []
    for (const [at, id] of ids.entries()) {
      if (id > last) return
      const hash = bytesOf(item?.hashes ?? new Uint8Array()).subarray(at * hashBytes, (at + 1) * hashBytes)
      if (id >= first) yield { id, hash }
    }
    if (ids.length < tileWidth) return
  }
}

async function readLeaves(pk: string, begin: number, end: number, attribute: 'hashes' | 'ids', bytes: number) {
  const [first, last] = [Math.floor(begin / tileWidth), Math.floor((end - 1) / tileWidth)]
  const locations = Array.from({ length: last - first + 1 }, (_, i) => ({ level: 0, index: first + i }))
  const tiles = (await readTiles(pk, locations)).map((item) => bytesOf(item?.[attribute] ?? new Uint8Array()))
  const offset = begin - first * tileWidth
  return Buffer.concat(tiles).subarray(offset * bytes, (offset + end - begin) * bytes)
}

export const leafHashes = (pk: string, begin: number, end: number): Promise<Buffer> =>
  readLeaves(pk, begin, end, 'hashes', hashBytes)

export const leafIds = async (pk: string, begin: number, end: number): Promise<string[]> =>
  idsOf(await readLeaves(pk, begin, end, 'ids', idBytes))
