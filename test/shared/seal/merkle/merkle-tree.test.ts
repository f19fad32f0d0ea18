import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  consistencyProof,
  emptyRoot,
  type HashReader,
  inclusionProof,
  leafHash,
  leftHashes,
  nodeHash,
  provesConsistency,
  provesInclusion,
  readRoot,
} from '#shared/seal/merkle/merkle-proof.ts'
import { CompactRange } from '#shared/seal/merkle/range-check.ts'
import { GrowingTree, partialWidths, type Tile, tileHashes, tilePath, widthOf } from '#shared/seal/merkle/tiles.ts'
import { PlainTree, plainConsistency, plainPath, plainRoot } from '#test/support/seal/plain-merkle-tree.ts'

const hex = (hash: Buffer) => hash.toString('hex')

/** Leaves and roots of test vectors that RFC 6962 implementations share. */
const leaves = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'].map(
  (content) => leafHash(Buffer.from(content, 'hex')),
)
const roots = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]
const paths: [index: number, size: number, path: string[]][] = [
  [0, 1, []],
  [
    0,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    5,
    8,
    [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
]

const isSame = (some: Buffer[], others: Buffer[]): boolean =>
  some.length === others.length && some.every((one, i) => one.equals(others[i] as Buffer))

function tree(size: number) {
  const appender = new GrowingTree()
  const tiles = new Map<string, Tile>()
  const keep = (tile: Tile) => tiles.set(tilePath(tile, widthOf(tile)), tile)
  const all = Array.from({ length: size }, (_, i) => leafHash(String(i)))
  for (const leaf of all) appender.add(leaf)
  for (const tile of [...appender.takeFull(), ...appender.partials()]) keep(tile)
  const read = tileHashes(async (places) =>
    places.map((place) => {
      const width = partialWidths(size)[place.level] ?? 0
      return (tiles.get(tilePath(place)) ?? tiles.get(tilePath(place, width)))?.hashes
    }),
  )
  return { all, appender, tiles, read }
}

it.each(roots.map((root, size) => ({ size, root })))('computes the RFC 6962 root of $size leaves', ({ size, root }) => {
  const range = new CompactRange()
  const tiles = new GrowingTree()
  for (const leaf of leaves.slice(0, size)) {
    range.append(leaf)
    tiles.add(leaf)
  }
  expect(hex(range.root())).toBe(root)
  expect(hex(tiles.root())).toBe(root)
  expect(hex(plainRoot(leaves.slice(0, size)))).toBe(root)
})

it('computes the RFC 6962 hashes', () => {
  expect(hex(emptyRoot())).toBe(roots[0])
  expect(hex(leafHash(''))).toBe(roots[1])
  expect(hex(nodeHash(leafHash(''), leafHash(Buffer.from('00', 'hex'))))).toBe(roots[2])
})

it.each(paths)('computes the RFC 6962 path of leaf %i of %i', async (index, size, path) => {
  const tiles = new GrowingTree()
  for (const leaf of leaves.slice(0, size)) tiles.add(leaf)
  const read = tileHashes(async () => tiles.partials().map(({ hashes }) => hashes))
  expect((await inclusionProof(index, size, read)).map(hex)).toEqual(path)
  expect(plainPath(index, leaves.slice(0, size)).map(hex)).toEqual(path)
})

it('derives tile paths as C2SP tlog-tiles specifies', () => {
  expect(tilePath({ level: 0, index: 1_234_067 })).toBe('tile/0/x001/x234/067')
  expect(tilePath({ level: 0, index: 0 }, 8)).toBe('tile/0/000.p/8')
  expect(tilePath({ level: 1, index: 1_000 })).toBe('tile/1/x001/000')
})

it('has the tiles of the C2SP tlog-tiles example of 70,000 leaves', () => {
  const leaf = leafHash('a leaf')
  const appender = new GrowingTree()
  const full = new Map<number, number>()
  for (let i = 0; i < 70_000; i++) appender.add(leaf)
  for (const { level } of appender.takeFull()) full.set(level, (full.get(level) ?? 0) + 1)
  expect([...full]).toEqual([
    [0, 273],
    [1, 1],
  ])
  expect(appender.partials().map((tile) => tilePath(tile, widthOf(tile)))).toEqual([
    'tile/0/273.p/112',
    'tile/1/001.p/17',
    'tile/2/000.p/1',
  ])
})

it('computes roots, inclusion and consistency proofs of all trees up to 2,000 leaves', async () => {
  const largest = 2_000
  const all = Array.from({ length: largest }, (_, i) => leafHash(String(i)))
  const plain = new PlainTree(all)
  const read: HashReader = async (nodes) =>
    nodes.map(({ level, index }) => plain.root(index * 2 ** level, (index + 1) * 2 ** level))
  const [tiles, range] = [new GrowingTree(), new CompactRange()]
  const rootAt = (size: number) => plain.root(0, size)
  for (let size = 1; size <= largest; size++) {
    const leaf = all[size - 1] as Buffer
    tiles.add(leaf)
    range.append(leaf)
    const root = rootAt(size)
    if (!tiles.root().equals(root) || !range.root().equals(root)) expect.fail(`the root of ${size} leaves`)
    // Tests the first, the middle and the last leaf, the first leaf after the largest split, and two others.
    const split = 2 ** Math.ceil(Math.log2(size) - 1)
    for (const index of new Set([0, size - 1, Math.floor(split) % size, 7 % size, 1_009 % size, size >> 1])) {
      const path = await inclusionProof(index, size, read)
      const isPlain = isSame(path, plain.path(index, size))
      if (!isPlain || !provesInclusion(all[index] as Buffer, index, size, path, root)) {
        expect.fail(`leaf ${index} of ${size}`)
      }
      if (provesInclusion(all[index] as Buffer, index, size, path, rootAt(size - 1)))
        expect.fail(`another root of ${size}`)
    }
    for (const from of new Set([1, size, size - 1, size >> 1, Math.floor(split), 1 + (613 % size)])) {
      if (from < 1) continue
      const path = await consistencyProof(from, size, read)
      const [older, newer] = [
        { size: from, root: rootAt(from) },
        { size, root },
      ]
      const isPlain = isSame(path, plain.consistency(from, size))
      if (!isPlain || !provesConsistency(older, newer, path)) expect.fail(`from ${from} to ${size} leaves`)
      if (provesConsistency({ ...older, root: leaf }, newer, path) && from > 1)
        expect.fail(`forked at ${from} of ${size}`)
    }
  }
  expect(plain.root(0, largest)).toEqual(tiles.root())
})

it('verifies exactly the inclusion proofs that a plain recomputation accepts, up to 2,000 leaves', async () => {
  const { all } = tree(2_000)
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 2_000 }), fc.nat(), fc.nat(), async (size, some, bit) => {
      const index = some % size
      const { read } = tree(size)
      const [path, root] = [await inclusionProof(index, size, read), await readRoot(size, read)]
      expect(path).toEqual(plainPath(index, all.slice(0, size)))
      expect(root).toEqual(plainRoot(all.slice(0, size)))
      const leaf = all[index] as Buffer
      expect(provesInclusion(leaf, index, size, path, root)).toBe(true)
      expect(provesInclusion(leafHash('another'), index, size, path, root)).toBe(false)
      expect(provesInclusion(leaf, index, size, [...path, root], root)).toBe(false)
      expect(provesInclusion(leaf, size, size, path, root)).toBe(false)
      fc.pre(path.length > 0)
      const forged = path.map((hash) => Buffer.from(hash))
      const hit = forged[bit % forged.length] as Buffer
      hit[0] = (hit[0] ?? 0) ^ 1
      expect(provesInclusion(leaf, index, size, forged, root)).toBe(false)
      expect(provesInclusion(leaf, index, size, path.slice(1), root)).toBe(false)
    }),
    { numRuns: 25 },
  )
})

it('verifies exactly the consistency proofs that a plain recomputation accepts', async () => {
  const { all } = tree(2_000)
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 2_000 }), fc.nat(), async (to, some) => {
      const from = 1 + (some % to)
      const { read } = tree(to)
      const path = await consistencyProof(from, to, read)
      expect(path).toEqual(plainConsistency(from, all.slice(0, to)))
      const [older, newer] = [from, to].map((size) => ({ size, root: plainRoot(all.slice(0, size)) })) as [
        { size: number; root: Buffer },
        { size: number; root: Buffer },
      ]
      expect(provesConsistency(older, newer, path)).toBe(true)
      expect(provesConsistency({ ...older, root: leafHash('forked') }, newer, path)).toBe(false)
      expect(provesConsistency(older, { ...newer, root: leafHash('forked') }, path)).toBe(false)
      expect(provesConsistency(older, newer, [...path, leafHash('more')])).toBe(false)
      expect(provesConsistency({ size: 0, root: leafHash('forked') }, newer, [])).toBe(false)
      fc.pre(from < to)
      expect(provesConsistency(newer, older, path)).toBe(false)
      expect(provesConsistency(older, newer, path.slice(1))).toBe(false)
    }),
    { numRuns: 25 },
  )
})

it('continues from the tiles at the edge, or from all leaf hashes, with the same result', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 700 }), fc.integer({ min: 0, max: 700 }), (before, more) => {
      const whole = tree(before + more)
      const { appender, all } = tree(before)
      const goesOn = new GrowingTree(before, appender.partials())
      const range = new CompactRange()
      for (const leaf of all) range.append(leaf)
      const resumed = new CompactRange(before, range.hashes)
      for (const leaf of whole.all.slice(before)) {
        goesOn.add(leaf)
        resumed.append(leaf)
      }
      const changed = new Map(goesOn.partials().map((tile) => [tile.level, tile]))
      for (const tile of whole.appender.partials()) expect(changed.get(tile.level) ?? tile).toEqual(tile)
      expect(goesOn.root()).toEqual(plainRoot(whole.all))
      expect(resumed.root()).toEqual(plainRoot(whole.all))
    }),
    { numRuns: 25 },
  )
})

it('finds the subtree hashes of all earlier leaves in the path of a leaf', async () => {
  for (const [index, size] of [
    [0, 1],
    [5, 8],
    [299, 1_000],
    [512, 513],
    [999, 1_000],
  ] as const) {
    const { all, read } = tree(size)
    const range = new CompactRange()
    for (const leaf of all.slice(0, index)) range.append(leaf)
    expect(range.hashes).toEqual(leftHashes(index, size, await inclusionProof(index, size, read)))
  }
})

it('rejects a tile that lacks hashes of the tree', async () => {
  const { read } = tree(300)
  await expect(inclusionProof(3, 400, read)).rejects.toThrow('tile/0/001')
  expect(() => new GrowingTree(300, [])).toThrow('tile/0/001')
  expect(() => new CompactRange(3, [])).toThrow(RangeError)
})
