import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { hashBytes } from '#shared/seal/merkle/merkle-proof.ts'
import { idBytes } from '#shared/seal/merkle/tiles.ts'
import { edgeTiles, findLeaf, leafHashes, putTiles } from '#shared/seal/sealing/table-tiles.ts'

const idOf = (n: number) => n.toString(16).padStart(24, '0')
const tileOf = (width: number, index = 0) => {
  const numbers = Array.from({ length: width }, (_, i) => index * 256 + i)
  return {
    level: 0,
    index,
    hashes: Buffer.concat(numbers.map((n) => Buffer.alloc(hashBytes, n % 251))),
    ids: Buffer.concat(numbers.map((n) => Buffer.from(idOf(n + 1), 'hex'))),
  }
}
const fill = (n: number) => Buffer.alloc(hashBytes, n % 251)

it('lets a tile grow, and never replaces it by a shorter one', async () => {
  const pk = `${randomUUID()}#seal.changes`
  await putTiles(pk, 0, [tileOf(3)])
  await putTiles(pk, 3, [tileOf(5)])
  await putTiles(pk, 0, [tileOf(3)])
  expect(await leafHashes(pk, 0, 5)).toEqual(tileOf(5).hashes)
  const other = { ...tileOf(4), hashes: Buffer.alloc(4 * hashBytes, 9) }
  await expect(putTiles(pk, 0, [other])).rejects.toMatchObject({ problem: 'tile' })
  expect(await leafHashes(pk, 0, 5)).toEqual(tileOf(5).hashes)
})

it('truncates a tile to the size of the tree', async () => {
  const pk = `${randomUUID()}#seal.changes`
  await putTiles(pk, 0, [tileOf(5)])
  const [edge] = await edgeTiles(pk, 3)
  expect(edge?.hashes).toEqual(tileOf(3).hashes)
  expect(await edgeTiles(`${randomUUID()}#seal.changes`, 3)).toEqual([])
})

it('finds a leaf in any tile, and none for ids before, between or after them', async () => {
  const pk = `${randomUUID()}#seal.changes`
  await putTiles(pk, 0, [tileOf(256)])
  await putTiles(pk, 256, [tileOf(2, 1)])
  for (const n of [0, 255, 256, 257]) expect(await findLeaf(pk, idOf(n + 1))).toEqual({ index: n, hash: fill(n) })
  for (const n of [-1, 258]) expect(await findLeaf(pk, idOf(n + 1))).toBeNull()
  expect(idOf(1)).toHaveLength(2 * idBytes)
  expect(await leafHashes(pk, 255, 257)).toEqual(Buffer.concat([fill(255), fill(256)]))
})
