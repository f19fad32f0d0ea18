import { foldHashes, hashBytes, nodeHash } from './merkle-hash.ts'
import { type Node, nodesOf } from './merkle-nodes.ts'
import type { HashReader } from './merkle-proof.ts'

/** C2SP tlog-tiles: a tile holds this many hashes, and spans this many levels of the tree. */
export const tileWidth = 256
const tileHeight = 8

/** A tile: its hashes one after the other, as many as there are so far. */
export type Tile = { level: number; index: number; hashes: Buffer }

export const widthOf = ({ hashes }: Tile): number => hashes.length / hashBytes

/** Where a tile lies: `tile/0/x001/x234/067`, and `….p/<width>` while it is not full. */
export function tilePath({ level, index }: Pick<Tile, 'level' | 'index'>, width = tileWidth): string {
  const digits = String(index)
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? []
  const path = groups.map((group, i) => (i < groups.length - 1 ? `x${group}` : group)).join('/')
  return `tile/${level}/${path}${width < tileWidth ? `.p/${width}` : ''}`
}

/** The tiles that are not full in a tree, by level; null where one has no hash yet. */
export const partialWidths = (size: number): number[] => {
  const widths: number[] = []
  for (let count = size; count > 0; count = Math.floor(count / tileWidth)) widths.push(count % tileWidth)
  return widths
}

const hashAt = (hashes: Buffer, index: number): Buffer => hashes.subarray(index * hashBytes, (index + 1) * hashBytes)

/** The root of a perfect subtree within a tile: `count` of its hashes from the `first` on. */
function subtree(hashes: Buffer, first: number, count: number): Buffer {
  if (count === 1) return hashAt(hashes, first)
  return nodeHash(subtree(hashes, first, count / 2), subtree(hashes, first + count / 2, count / 2))
}

/** The tile that holds the hash of a perfect subtree, or the hashes that it is made of. */
const tileOf = ({ level, index }: Node) => {
  const inTile = level % tileHeight
  const first = index * 2 ** inTile
  return {
    level: Math.floor(level / tileHeight),
    index: Math.floor(first / tileWidth),
    first: first % tileWidth,
    count: 2 ** inTile,
  }
}

type Place = { level: number; index: number }

/** Reads hashes from tiles, each tile once. @throws Error where a tile has not as many hashes as it should */
export const tileHashes =
  (readTiles: (places: Place[]) => Promise<(Buffer | undefined)[]>): HashReader =>
  async (nodes) => {
    const wanted = nodes.map(tileOf)
    const places = new Map(wanted.map(({ level, index }) => [`${level}/${index}`, { level, index }]))
    const tiles = await readTiles([...places.values()])
    const byPlace = new Map([...places.keys()].map((place, i) => [place, tiles[i]]))
    return wanted.map(({ level, index, first, count }) => {
      const hashes = byPlace.get(`${level}/${index}`)
      if (!hashes || hashes.length < (first + count) * hashBytes) throw new MissingHashes(level, index)
      return subtree(hashes, first, count)
    })
  }

/** A tile that is not there, or has less in it than the tree says. */
export class MissingHashes extends Error {
  constructor(level: number, index: number) {
    super(`The tile ${tilePath({ level, index })} has not the hashes that the tree has.`)
  }
}

/** Adds leaves to a tree of which only the tiles at its right edge are held, and hands out the tiles that become full. */
export class TileAppender {
  size: number
  /** By level: the hashes of the tile that is not full. */
  private readonly edge: Buffer[][]

  /** @param edge the tiles that are not full, by level, as `partials` hands them out. @throws MissingHashes */
  constructor(size = 0, edge: Buffer[] = []) {
    this.size = size
    this.edge = partialWidths(size).map((width, level) => {
      const hashes = edge[level] ?? Buffer.alloc(0)
      if (hashes.length < width * hashBytes) throw new MissingHashes(level, Math.floor(size / tileWidth ** (level + 1)))
      return Array.from({ length: width }, (_, i) => hashAt(hashes, i))
    })
  }

  /** The tiles that are full with this leaf. */
  append(leaf: Buffer): Tile[] {
    const full: Tile[] = []
    this.size++
    for (let [level, hash] = [0, leaf]; ; level++) {
      const tile = this.edge[level] ?? []
      this.edge[level] = tile
      tile.push(hash)
      if (tile.length < tileWidth) return full
      const hashes = Buffer.concat(tile)
      full.push({ level, index: Math.floor(this.size / tileWidth ** (level + 1)) - 1, hashes })
      hash = subtree(hashes, 0, tileWidth)
      this.edge[level] = []
    }
  }

  /** The tiles that are not full, without those that have no hash yet. */
  partials(): Tile[] {
    return this.edge.flatMap((tile, level) =>
      tile.length === 0
        ? []
        : [{ level, index: Math.floor(this.size / tileWidth ** (level + 1)), hashes: Buffer.concat(tile) }],
    )
  }

  root(): Buffer {
    const hashes = nodesOf({ begin: 0, end: this.size }).map((node) => {
      const { level, first, count } = tileOf(node)
      const tile = this.edge[level] ?? []
      return subtree(Buffer.concat(tile.slice(first, first + count)), 0, count)
    })
    return foldHashes(hashes)
  }
}
