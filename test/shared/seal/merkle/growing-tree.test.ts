import { expect, it } from 'vitest'
import { hashBytes, leafHash } from '#shared/seal/merkle/merkle-proof.ts'
import { GrowingTree, idBytes, type StoredTile } from '#shared/seal/merkle/tiles.ts'
import { plainRoot } from '#test/support/seal/plain-merkle-tree.ts'

const idOf = (n: number) => n.toString(16).padStart(24, '0')
const leaves = Array.from({ length: 600 }, (_, i) => leafHash(String(i)))

function grown(from: number, to: number, edge: StoredTile[] = []): GrowingTree {
  const tree = new GrowingTree(from, edge)
  for (let i = from; i < to; i++) tree.add(leaves[i] as Buffer, idOf(i))
  return tree
}
const widths = (tiles: StoredTile[]) =>
  tiles.map(({ level, index, hashes, ids }) => [level, index, hashes.length / hashBytes, (ids?.length ?? 0) / idBytes])

it('continues from a longer tile of an interrupted run, with the ids of the sealed leaves', () => {
  const tree = grown(3, 6, grown(0, 5).partials())
  expect(widths(tree.partials())).toEqual([[0, 0, 6, 6]])
  expect(tree.partials()[0]?.ids?.toString('hex')).toBe([0, 1, 2, 3, 4, 5].map(idOf).join(''))
  expect(tree.root()).toEqual(plainRoot(leaves.slice(0, 6)))
})

it('returns changed partial tiles, and each full tile once', () => {
  const first = grown(0, 300)
  expect(widths(first.takeFull())).toEqual([[0, 0, 256, 256]])
  expect(first.takeFull()).toEqual([])
  expect(widths(first.partials())).toEqual([
    [0, 1, 44, 44],
    [1, 0, 1, 0],
  ])
  // Expects only the tile of level 0, because level 1 has no new hash.
  expect(widths(grown(300, 301, first.partials()).partials())).toEqual([[0, 1, 45, 45]])
  const second = grown(300, 556, first.partials())
  expect(widths(second.takeFull())).toEqual([[0, 1, 256, 256]])
  // Expects the tile of level 0 although its width is unchanged, because its index is new.
  expect(widths(second.partials())).toEqual([
    [0, 2, 44, 44],
    [1, 0, 2, 0],
  ])
})
