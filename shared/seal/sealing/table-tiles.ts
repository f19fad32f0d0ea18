import { inParallel } from '../../core/work/in-parallel.ts'
import { table, tableName } from '../../table/client.ts'
import { PutCommand } from '../../table/commands.ts'
import { type Item, type Key, partition } from '../../table/keys.ts'
import { getItem, getItems, queryItems } from '../../table/read.ts'
import { ConditionalCheckFailedException } from '../../table/refused-write.ts'
import { SealDamage } from '../log/seal-damage.ts'
import type { HourStream } from '../log/sealed-log.ts'
import { idBytes, type StoredTile } from '../merkle/growing-tree.ts'
import { hashBytes } from '../merkle/merkle-hash.ts'
import type { HashReader } from '../merkle/merkle-proof.ts'
import { partialWidths, tileHashes, tileWidth } from '../merkle/tiles.ts'

/** The tree over the entries of an hour of a stream (S1.3): its tiles, and what leads from an entry to its leaf. */
export const hourPartition = (account: string, stream: HourStream, hour: string): string =>
  partition(account, 'seal.hour', stream, hour)

/** What an hour was sealed as. */
export const hourKey = (account: string, stream: HourStream, hour: string): Key => ({
  pk: hourPartition(account, stream, hour),
  sk: 'tree',
})

const tileKey = (pk: string, level: number, index: number): Key => ({
  pk,
  sk: `tile#${level}#${String(index).padStart(14, '0')}`,
})

const firstSort = (id: string): string => `from#${id}`

type TileItem = Key & { hashes: Uint8Array; ids?: Uint8Array }

const bytesOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** The items of a tile; one of leaves that begins in this tree after `from` leaves can be found by its first entry. */
function itemsOf(pk: string, from: number, { level, index, hashes, ids }: StoredTile): Item[] {
  const tile = { ...tileKey(pk, level, index), kind: 'seal_tile', hashes, ...(ids && { ids }) }
  if (!ids || from > index * tileWidth) return [tile]
  return [tile, { pk, sk: firstSort(ids.toString('hex', 0, idBytes)), kind: 'seal_index', tile: index }]
}

const concurrency = 8

/**
 * Puts an item of a tile, which grows only. Of a run that comes late another has stored all and more.
 * @throws SealDamage where that is not of the same tree
 */
async function putItem(Item: Item & Partial<TileItem>): Promise<void> {
  const { hashes } = Item
  const condition = hashes && {
    ConditionExpression: 'attribute_not_exists(hashes) OR size(hashes) <= :bytes',
    ExpressionAttributeValues: { ':bytes': hashes.length },
  }
  try {
    await table().send(new PutCommand({ TableName: tableName(), Item, ...condition }))
  } catch (error) {
    if (!hashes || !(error instanceof ConditionalCheckFailedException)) throw error
    const longer = await getItem<TileItem>({ pk: Item.pk, sk: Item.sk })
    if (!longer || !bytesOf(longer.hashes).subarray(0, hashes.length).equals(hashes)) {
      throw new SealDamage('tile', `${Item.pk} ${Item.sk}`)
    }
  }
}

/** Stores tiles of a tree that had `from` leaves before; harmless to repeat. @throws SealDamage */
export const putTiles = (pk: string, from: number, tiles: StoredTile[]): Promise<void> =>
  inParallel(
    tiles.flatMap((tile) => itemsOf(pk, from, tile)),
    concurrency,
    putItem,
  )

async function readTiles(pk: string, places: { level: number; index: number }[]): Promise<(TileItem | undefined)[]> {
  return getItems<TileItem>(places.map(({ level, index }) => tileKey(pk, level, index)))
}

/** The tiles at the right edge of a tree of this size, as far as they are there. */
export async function edgeTiles(pk: string, size: number): Promise<StoredTile[]> {
  const places = partialWidths(size).flatMap((width, level) =>
    width === 0 ? [] : [{ level, index: Math.floor(size / tileWidth ** (level + 1)), width }],
  )
  const items = await readTiles(pk, places)
  return places.flatMap(({ level, index, width }, i) => {
    const item = items[i]
    if (!item) return []
    return [
      {
        level,
        index,
        hashes: bytesOf(item.hashes).subarray(0, width * hashBytes),
        ...(item.ids && { ids: bytesOf(item.ids) }),
      },
    ]
  })
}

/** The hashes of a tree in the table. */
export const tableHashes = (pk: string): HashReader =>
  tileHashes(async (places) => (await readTiles(pk, places)).map((item) => (item ? bytesOf(item.hashes) : undefined)))

/** The number of the leaf with this id, and its hash; null where there is none. */
export async function findLeaf(pk: string, id: string): Promise<{ index: number; hash: Buffer } | null> {
  const sort = firstSort(id)
  const [first] = await queryItems<Key & { tile?: number }>(pk, {
    after: sort,
    inclusive: true,
    backward: true,
    limit: 1,
  })
  if (first?.tile === undefined) return null
  const [item] = await readTiles(pk, [{ level: 0, index: first.tile }])
  if (!item?.ids) return null
  const ids = bytesOf(item.ids).toString('hex')
  for (let at = 0; at * 2 * idBytes < ids.length; at++) {
    if (ids.slice(at * 2 * idBytes, (at + 1) * 2 * idBytes) !== id) continue
    const hash = bytesOf(item.hashes).subarray(at * hashBytes, (at + 1) * hashBytes)
    return { index: first.tile * tileWidth + at, hash }
  }
  return null
}

/** What lies in the tiles of leaves from `begin` up to `end`, which is not one of them. */
async function ofLeaves(
  pk: string,
  begin: number,
  end: number,
  bytes: number,
  pick: (tile: TileItem) => Uint8Array | undefined,
): Promise<Buffer> {
  const [first, last] = [Math.floor(begin / tileWidth), Math.floor((end - 1) / tileWidth)]
  const places = Array.from({ length: last - first + 1 }, (_, i) => ({ level: 0, index: first + i }))
  const tiles = (await readTiles(pk, places)).map((item) => bytesOf((item && pick(item)) ?? new Uint8Array()))
  const offset = begin - first * tileWidth
  return Buffer.concat(tiles).subarray(offset * bytes, (offset + end - begin) * bytes)
}

/** The hashes of leaves, one after the other. */
export const leafHashes = (pk: string, begin: number, end: number): Promise<Buffer> =>
  ofLeaves(pk, begin, end, hashBytes, ({ hashes }) => hashes)

/** The ids of leaves. */
export async function leafIds(pk: string, begin: number, end: number): Promise<string[]> {
  const ids = (await ofLeaves(pk, begin, end, idBytes, ({ ids }) => ids)).toString('hex')
  return ids.match(/.{24}/g) ?? []
}
