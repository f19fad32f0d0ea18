import { partialWidths, type Tile, TileAppender, tileWidth } from './tiles.ts'

/** A tile as the table keeps it: that of the leaves with the id of each. */
export type StoredTile = Tile & { ids?: Buffer }

export const idBytes = 12

/** A tree that grows by leaves with ids, and gathers the tiles that have changed. */
export class GrowingTree {
  readonly from: number
  private readonly appender: TileAppender
  private readonly full: StoredTile[] = []
  private ids: Buffer[]

  /** @param edge the tiles that are not full, by level. @throws MissingHashes */
  constructor(size = 0, edge: StoredTile[] = []) {
    this.from = size
    const hashes: Buffer[] = []
    for (const tile of edge) hashes[tile.level] = tile.hashes
    this.appender = new TileAppender(size, hashes)
    const known = edge.find(({ level }) => level === 0)?.ids?.subarray(0, (size % tileWidth) * idBytes)
    this.ids = known ? [known] : []
  }

  get size(): number {
    return this.appender.size
  }

  /** @param id 24 hexadecimal characters */
  add(id: string, hash: Buffer): void {
    this.ids.push(Buffer.from(id, 'hex'))
    for (const tile of this.appender.append(hash)) {
      this.full.push(tile.level === 0 ? { ...tile, ids: Buffer.concat(this.ids) } : tile)
      if (tile.level === 0) this.ids = []
    }
  }

  /** Hands over the tiles that have become full. */
  takeFull(): StoredTile[] {
    return this.full.splice(0)
  }

  /** The tiles that are not full and have changed. */
  partials(): StoredTile[] {
    const before = partialWidths(this.from)
    return this.appender.partials().flatMap((tile) => {
      const begins = Math.floor(this.from / tileWidth ** (tile.level + 1))
      const width = partialWidths(this.size)[tile.level]
      if (this.from > 0 && begins === tile.index && before[tile.level] === width) return []
      return [tile.level === 0 ? { ...tile, ids: Buffer.concat(this.ids) } : tile]
    })
  }

  root(): Buffer {
    return this.appender.root()
  }
}
