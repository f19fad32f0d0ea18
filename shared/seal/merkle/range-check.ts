import { isDeepStrictEqual } from 'node:util'
import { foldHashes, leftOf, nodeHash, nodesOf, provesInclusion } from './merkle-proof.ts'

/** The first leaves of a tree as the roots of perfect subtrees, the largest first: enough to append leaves. */
export class CompactRange {
  size: number
  readonly hashes: Buffer[]

  /** @throws RangeError where the hashes are not as many as such a tree has */
  constructor(size = 0, hashes: Buffer[] = []) {
    if (hashes.length !== nodesOf({ begin: 0, end: size }).length) throw new RangeError('The hashes fit no such tree.')
    this.size = size
    this.hashes = [...hashes]
  }

  append(leaf: Buffer): void {
    let hash = leaf
    for (let size = this.size; size % 2 === 1; size = (size - 1) / 2) hash = nodeHash(this.hashes.pop() as Buffer, hash)
    this.hashes.push(hash)
    this.size++
  }

  root(): Buffer {
    return foldHashes(this.hashes)
  }
}

/** A leaf with its path, hashes in base64 as in the API. */
type PlacedLeaf = { leaf_index: number; path: string[] }

/** A tree, and the range of it that is checked: by default from its first leaf, and to its last one. */
type CheckedRange = {
  size: number
  root: Buffer
  first?: PlacedLeaf | null | undefined
  last?: PlacedLeaf | null | undefined
}

const hashesOf = ({ path }: PlacedLeaf): Buffer[] => path.map((text) => Buffer.from(text, 'base64'))

/** Checks that leaves in their order are all of a range of a tree. Holds few hashes. */
export class RangeCheck {
  /** Roots at those of the watched sizes that were reached. */
  readonly roots = new Map<number, Buffer>()
  private readonly range: CompactRange
  private readonly checked: CheckedRange
  private readonly watched: number[]
  private isFirstProven: boolean
  private isLastProven: boolean

  /** @throws RangeError for a path that fits no such tree */
  constructor(checked: CheckedRange, watched: number[] = []) {
    const { size, first, last } = checked
    const index = first?.leaf_index ?? 0
    this.range = new CompactRange(index, first ? leftOf(index, size, hashesOf(first)) : [])
    this.checked = checked
    this.watched = watched
    this.isFirstProven = !first
    this.isLastProven = !last
    this.watch()
  }

  add(leaf: Buffer): void {
    const { size, root, first, last } = this.checked
    const { size: index, hashes } = this.range
    if (first?.leaf_index === index) this.isFirstProven = provesInclusion(leaf, index, size, hashesOf(first), root)
    if (last?.leaf_index === index) {
      const path = hashesOf(last)
      const isNext = isDeepStrictEqual(hashes, leftOf(index, size, path))
      this.isLastProven = isNext && provesInclusion(leaf, index, size, path, root)
    }
    this.range.append(leaf)
    this.watch()
  }

  get isComplete(): boolean {
    const { size, last } = this.checked
    return this.range.size === (last ? last.leaf_index + 1 : size)
  }

  /** Tells if the leaves so far are all of the range, and lead to the root. */
  holds(): boolean {
    const { root, last } = this.checked
    const isProven = this.isFirstProven && this.isLastProven && this.isComplete
    return isProven && (Boolean(last) || this.range.root().equals(root))
  }

  private watch(): void {
    const { size } = this.range
    if (this.watched.includes(size)) this.roots.set(size, this.range.root())
  }
}
