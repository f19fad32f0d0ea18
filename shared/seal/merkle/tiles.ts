import { foldHashes, type HashReader, hashBytes, type Node, nodeHash, perfectSubtrees } from './merkle-proof.ts'

/** Number of hashes in a full tile, which spans 8 levels of the tree (C2SP tlog-tiles). */
export const tileWidth = 256
const tileHeight = 8

export type Tile = { level: number; index: number; hashes: Buffer }

export const widthOf = ({ hashes }: Tile): number => hashes.length / hashBytes

/** Path of a tile, such as `tile/0/x001/x234/067`. The path of a partial tile ends with `.p/<width>`. */
export function tilePath({ level, index }: Pick<Tile, 'level' | 'index'>, width = tileWidth): string {
  const digits = String(index)
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? []
  const path = groups.map((group, i) => (i < groups.length - 1 ? `x${group}` : group)).join('/')
  return `tile/${level}/${path}${width < tileWidth ? `.p/${width}` : ''}`
}

/** Number of hashes in the partial tile of each level; 0 if the level has no partial tile. */
export const partialWidths = (size: number): number[] => {
  const widths: number[] = []
  for (let count = size; count > 0; count = Math.floor(count / tileWidth)) widths.push(count % tileWidth)
  return widths
}

const hashAt = (hashes: Buffer, index: number): Buffer => hashes.subarray(index * hashBytes, (index + 1) * hashBytes)

function subtree(hashes: Buffer, first: number, count: number): Buffer {
  if (count === 1) return hashAt(hashes, first)
  return nodeHash(subtree(hashes, first, count / 2), subtree(hashes, first + count / 2, count / 2))
}

/** Finds the tile of a perfect subtree, and the range of the tile's hashes from which the subtree's root is computed. */
const locateSubtree = ({ level, index }: Node) => {
  const inTile = level % tileHeight
  const first = index * 2 ** inTile
  return {
    level: Math.floor(level / tileHeight),
    index: Math.floor(first / tileWidth),
    first: first % tileWidth,
    count: 2 ** inTile,
  }
}

type TileLocation = { level: number; index: number }

/** Creates a hash reader that reads each tile once per call. @throws MissingHashes */
export const tileHashes =
  (readTiles: (locations: TileLocation[]) => Promise<(Buffer | undefined)[]>): HashReader =>
  async (nodes) => {
    const requested = nodes.map(locateSubtree)
    const locations = new Map(requested.map(({ level, index }) => [`${level}/${index}`, { level, index }]))
    const tiles = await readTiles([...locations.values()])
    const byLocation = new Map([...locations.keys()].map((location, i) => [location, tiles[i]]))
    return requested.map(({ level, index, first, count }) => {
      const hashes = byLocation.get(`${level}/${index}`)
      if (!hashes || hashes.length < (first + count) * hashBytes) throw new MissingHashes(level, index)
      return subtree(hashes, first, count)
    })
  }

/** Thrown for a tile that is absent or has fewer hashes than the tree size requires. */
export class MissingHashes extends Error {
  constructor(level: number, index: number) {
    super(`The tile ${tilePath({ level, index })} does not have the hashes of the tree.`)
  }
}

/** Tile in the table. A tile of level 0 also has the concatenated ids of the leaves. */
export type StoredTile = Tile & { ids?: Buffer }

export const idBytes = 12

/** Append-only tree. Keeps only the changed tiles and the tiles at its right edge in memory. */
export class GrowingTree {
  readonly from: number
  size: number
  private readonly edge: Buffer[][]
  private readonly changed = new Set<number>()
  private readonly full: StoredTile[] = []
  private ids: Buffer[]

  /**
   * Continues a tree of `size` leaves.
   * @param edge partial tiles of the tree
   * @throws MissingHashes if the tiles do not have enough hashes
   */
  constructor(size = 0, edge: StoredTile[] = []) {
    this.from = size
    this.size = size
    this.edge = partialWidths(size).map((width, level) => {
      const hashes = edge.find((tile) => tile.level === level)?.hashes ?? Buffer.alloc(0)
      if (hashes.length < width * hashBytes) throw new MissingHashes(level, Math.floor(size / tileWidth ** (level + 1)))
      return Array.from({ length: width }, (_, i) => hashAt(hashes, i))
    })
    const edgeIds = edge.find(({ level }) => level === 0)?.ids?.subarray(0, (size % tileWidth) * idBytes)
    this.ids = edgeIds ? [edgeIds] : []
  }

  /**
   * Appends a leaf.
   * @param id 24 hexadecimal characters; needed only for a tree in the table
   */
  add(leaf: Buffer, id = ''): void {
    this.ids.push(Buffer.from(id, 'hex'))
    this.size++
    for (let [level, hash] = [0, leaf]; ; level++) {
      const hashes = this.edge[level] ?? []
      this.edge[level] = hashes
      hashes.push(hash)
      this.changed.add(level)
      if (hashes.length < tileWidth) return
      const tile = this.tileAt(level)
      this.full.push({ ...tile, index: tile.index - 1 })
      hash = subtree(tile.hashes, 0, tileWidth)
      this.edge[level] = []
      if (level === 0) this.ids = []
    }
  }

  /** Returns the tile at the right edge of a level. When a tile has just become full, returns the next tile, which is empty. */
  private tileAt(level: number): StoredTile {
    const index = Math.floor(this.size / tileWidth ** (level + 1))
    const tile = { level, index, hashes: Buffer.concat(this.edge[level] ?? []) }
    return level === 0 ? { ...tile, ids: Buffer.concat(this.ids) } : tile
  }

  takeFull(): StoredTile[] {
    return this.full.splice(0)
  }

  partials(): StoredTile[] {
    return this.edge.flatMap(({ length }, level) => (length > 0 && this.changed.has(level) ? [this.tileAt(level)] : []))
  }

  root(): Buffer {
    const hashes = perfectSubtrees({ begin: 0, end: this.size }).map((node) => {
      const { level, first, count } = locateSubtree(node)
      const tile = this.edge[level] ?? []
      return subtree(Buffer.concat(tile.slice(first, first + count)), 0, count)
    })
    return foldHashes(hashes)
  }
}
