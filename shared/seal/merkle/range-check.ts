import { CompactRange } from './compact-range.ts'
import { leftOf, provesInclusion } from './merkle-proof.ts'

/** A leaf with its path, hashes in base64 as the API has them. */
type PlacedLeaf = { leaf_index: number; path: string[] }

/** A tree, and the part of it that is held against it: from its first leaf and to its last one where nothing else is said. */
export type CheckedRange = { size: number; root: Buffer; first?: PlacedLeaf; last?: PlacedLeaf }

const hashes = (path: string[]): Buffer[] => path.map((text) => Buffer.from(text, 'base64'))

/** Holds leaves in their order against a tree: that they are all of a range of it, without a gap. Holds few hashes. */
export class RangeCheck {
  private readonly range: CompactRange
  private readonly asked: CheckedRange
  private readonly watched: Map<number, Buffer>
  private isFirstProven = true
  /** The newest leaf. The one at the end is held against its path before it is one of those so far. */
  private newest: Buffer | null = null

  /**
   * @param watched sizes of which the root is told on the way, by the map that it is put into
   * @throws RangeError for a path that fits no such tree
   */
  constructor(asked: CheckedRange, watched: Map<number, Buffer> = new Map()) {
    const { size, first } = asked
    const index = first?.leaf_index ?? 0
    const left = first ? leftOf(index, size, hashes(first.path)) : []
    this.range = new CompactRange(index, left)
    this.asked = asked
    this.watched = watched
    this.watch()
  }

  /** The number of the next leaf. */
  get next(): number {
    return this.range.size + (this.newest ? 1 : 0)
  }

  add(leaf: Buffer): void {
    const { size, root, first } = this.asked
    if (first && this.next === first.leaf_index) {
      this.isFirstProven = provesInclusion(leaf, first.leaf_index, size, hashes(first.path), root)
    }
    this.settle()
    this.newest = leaf
  }

  /** Tells if these were all leaves of the range, and lead to the root. */
  holds(): boolean {
    const { size, root, last } = this.asked
    if (!this.isFirstProven) return false
    if (!last) {
      this.settle()
      return this.range.size === size && this.range.root().equals(root)
    }
    const { newest } = this
    const path = hashes(last.path)
    if (!newest || this.range.size !== last.leaf_index) return false
    const isAtLast = this.range.holds(leftOf(last.leaf_index, size, path))
    const holds = isAtLast && provesInclusion(newest, last.leaf_index, size, path, root)
    this.settle()
    return holds
  }

  private settle(): void {
    if (!this.newest) return
    this.range.append(this.newest)
    this.newest = null
    this.watch()
  }

  private watch(): void {
    const { size } = this.range
    if (this.watched.has(size)) this.watched.set(size, this.range.root())
  }
}
