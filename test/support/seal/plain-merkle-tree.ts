import { emptyRoot, nodeHash } from '#shared/seal/merkle/merkle-proof.ts'

/**
 * Merkle tree that follows RFC 6962, section 2.1 literally, as a reference for the service's tree. Smaller trees consist of the first
 * leaves. A cache of hashes is the only optimization.
 */
export class PlainTree {
  private readonly leaves: Buffer[]
  private readonly hashes = new Map<number, Buffer>()

  constructor(leaves: Buffer[]) {
    this.leaves = leaves
  }

  /** Root hash of the leaves from `begin` to `end` (exclusive). */
  root(begin: number, end: number): Buffer {
    if (end === begin) return emptyRoot()
    if (end - begin === 1) return this.leaves[begin] as Buffer
    const place = begin * 2 ** 24 + end
    const cached = this.hashes.get(place)
    if (cached) return cached
    const split = begin + splitSize(end - begin)
    const root = nodeHash(this.root(begin, split), this.root(split, end))
    this.hashes.set(place, root)
    return root
  }

  /** Audit path of a leaf in the tree of the first `size` leaves, from the leaf upward. */
  path(index: number, size: number): Buffer[] {
    return this.pathIn(index, 0, size)
  }

  private pathIn(index: number, begin: number, end: number): Buffer[] {
    if (end - begin === 1) return []
    const split = begin + splitSize(end - begin)
    return index < split
      ? [...this.pathIn(index, begin, split), this.root(split, end)]
      : [...this.pathIn(index, split, end), this.root(begin, split)]
  }

  /** Consistency proof between the tree of the first `from` leaves and the tree of the first `to` leaves. */
  consistency(from: number, to: number): Buffer[] {
    return this.subproof(from, 0, to, true)
  }

  private subproof(from: number, begin: number, end: number, isWhole: boolean): Buffer[] {
    if (from === end) return isWhole ? [] : [this.root(begin, end)]
    const split = begin + splitSize(end - begin)
    return from <= split
      ? [...this.subproof(from, begin, split, isWhole), this.root(split, end)]
      : [...this.subproof(from, split, end, false), this.root(begin, split)]
  }
}

/** Returns the greatest power of two below `count`. */
function splitSize(count: number): number {
  let split = 1
  while (split * 2 < count) split *= 2
  return split
}

export const plainRoot = (leaves: Buffer[]): Buffer => new PlainTree(leaves).root(0, leaves.length)
export const plainPath = (index: number, leaves: Buffer[]): Buffer[] => new PlainTree(leaves).path(index, leaves.length)
export const plainConsistency = (from: number, leaves: Buffer[]): Buffer[] =>
  new PlainTree(leaves).consistency(from, leaves.length)
