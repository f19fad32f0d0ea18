import { isDeepStrictEqual } from 'node:util'
import { foldHashes, leftHashes, nodeHash, perfectSubtrees, provesInclusion } from './merkle-proof.ts'

/** Prefix of a tree to which leaves can be appended. Stores only the roots of its perfect subtrees, the largest first. */
export class CompactRange {
  size: number
  readonly hashes: Buffer[]

  constructor(size = 0, hashes: Buffer[] = []) {
    if (hashes.length !== perfectSubtrees({ begin: 0, end: size }).length)
      throw new RangeError('The hashes do not fit a tree of this size.')
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

type LeafProof = { leaf_index: number; path: string[] }

/**
 * Tree and range of leaves to check. `first` and `last` prove the ends of the range. Without these proofs, the range extends to the ends of
 * the tree.
 */
type CheckedRange = {
  size: number
  root: Buffer
  first?: LeafProof | null | undefined
  last?: LeafProof | null | undefined
}

const decodePath = ({ path }: LeafProof): Buffer[] => path.map((text) => Buffer.from(text, 'base64'))

/** Verifies that a sequence of leaves is exactly a range of a tree. Keeps only a few hashes in memory. */
export class RangeCheck {
  /** Roots, keyed by tree size. Contains the watched sizes that the range has reached. */
  readonly roots = new Map<number, Buffer>()
  private readonly range: CompactRange
  private readonly checked: CheckedRange
  private readonly watched: number[]
  private isFirstProven: boolean
  private isLastProven: boolean

  constructor(checked: CheckedRange, watched: number[] = []) {
    const { size, first, last } = checked
    const index = first?.leaf_index ?? 0
    this.range = new CompactRange(index, first ? leftHashes(index, size, decodePath(first)) : [])
    this.checked = checked
    this.watched = watched
    this.isFirstProven = !first
    this.isLastProven = !last
    this.watch()
  }

  add(leaf: Buffer): void {
    const { size, root, first, last } = this.checked
    const { size: index, hashes } = this.range
    if (first?.leaf_index === index) this.isFirstProven = provesInclusion(leaf, index, size, decodePath(first), root)
    if (last?.leaf_index === index) {
      const path = decodePath(last)
      const isNext = isDeepStrictEqual(hashes, leftHashes(index, size, path))
      this.isLastProven = isNext && provesInclusion(leaf, index, size, path, root)
    }
    this.range.append(leaf)
    this.watch()
  }

  get isComplete(): boolean {
    const { size, last } = this.checked
    return this.range.size === (last ? last.leaf_index + 1 : size)
  }

  /** True if the added leaves are exactly the range, and the proofs match the root. */
  isValid(): boolean {
    const { root, last } = this.checked
    const isProven = this.isFirstProven && this.isLastProven && this.isComplete
    return isProven && (Boolean(last) || this.range.root().equals(root))
  }

  private watch(): void {
    const { size } = this.range
    if (this.watched.includes(size)) this.roots.set(size, this.range.root())
  }
}
