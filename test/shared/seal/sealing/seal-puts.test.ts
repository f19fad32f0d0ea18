import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { hashBytes, leafHash } from '#shared/seal/merkle/merkle-proof.ts'
import { GrowingTree, idBytes, partialWidths, type StoredTile, tileWidth } from '#shared/seal/merkle/tiles.ts'
import { readNewest, sealTree } from '#shared/seal/sealing/seal-tree.ts'
import { Lease } from '#shared/seal/sealing/sealed-state.ts'
import { sealWorld } from '#test/support/seal/sealing.ts'

const leaf = leafHash('a leaf')
const idOf = (n: number) => n.toString(16).padStart(24, '0')

/** Opens a tree of `size` leaves from its partial tiles, as a run does. */
function treeOf(size: number): GrowingTree {
  const index = partialWidths(size).flatMap((width, level): StoredTile[] => {
    if (width === 0) return []
    const tile = {
      level,
      index: Math.floor(size / tileWidth ** (level + 1)),
      hashes: Buffer.alloc(width * hashBytes, 7),
    }
    return [level === 0 ? { ...tile, ids: Buffer.alloc(width * idBytes, 7) } : tile]
  })
  return new GrowingTree(size, index)
}

/** Seals `more` new leaves, and returns the number of objects written (S7). */
async function putsOf(tree: GrowingTree, more: number): Promise<number> {
  const world = sealWorld()
  const account = randomUUID()
  const lease = await Lease.take(account, 'changes')
  if (!lease) throw new Error('Another run has the log.')
  const sealing = { account, log: 'changes' as const, address: world.address, lease }
  const newest = await readNewest(sealing)
  for (let i = 0; i < more; i++) tree.add(leaf, idOf(tree.size))
  await sealTree(sealing, tree, { from: null }, newest)
  return world.paths().length
}

it.each([
  [1, 3],
  [255, 3],
  // A full tile, and a tile with the first hash of the next level.
  [256, 4],
  [257, 5],
  // 39 full tiles, a partial tile, and one tile of the next level.
  [10_000, 43],
])('seals the first %i leaves by %i objects', async (more, puts) => {
  expect(await putsOf(treeOf(0), more)).toBe(puts)
})

/** Returns the number of tiles written, without the two checkpoint objects. */
const tilesOf = (from: number, more: number): number => {
  const tree = treeOf(from)
  for (let i = 0; i < more; i++) tree.add(leaf, idOf(from + i))
  return tree.takeFull().length + tree.partials().length
}

it('puts at most 6 objects for up to 256 new leaves at any size, and 7 in a tree with a fourth level', async () => {
  const sizes = [0, 1, 255, 256, 257, 511, 65_279, 65_280, 65_281, 65_535, 65_536, 131_071, 16_711_679, 16_776_000]
  expect(Math.max(...sizes.flatMap((from) => [1, 2, 200, 256].map((more) => tilesOf(from, more))))).toBe(4)
  expect(tilesOf(16_777_215, 256)).toBe(5)
  expect(await putsOf(treeOf(65_400), 256)).toBe(6)
})
