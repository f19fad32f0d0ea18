import { emptyRoot, nodeHash } from '#shared/seal/merkle/merkle-proof.ts'

/**
 * A Merkle tree as RFC 6962, 2.1 words it, without any thrift but that a hash is made once: what the one of the service is held
 * against. Its first leaves are the tree of each smaller size.
 */
export class PlainTree {
  private readonly leaves: Buffer[]
  private readonly known = new Map<number, Buffer>()

  constructor(leaves: Buffer[]) {
    this.leaves = leaves
  }

  /** Of the leaves from `begin` up to `end`, which is not one of them. */
  root(begin: number, end: number): Buffer {
    if (end === begin) return emptyRoot()
    if (end - begin === 1) return this.leaves[begin] as Buffer
    const place = begin * 2 ** 24 + end
    const known = this.known.get(place)
    if (known) return known
    const split = begin + splitOf(end - begin)
    const root = nodeHash(this.root(begin, split), this.root(split, end))
    this.known.set(place, root)
    return root
  }

  /** The path of a leaf, upward. */
  path(index: number, size: number): Buffer[] {
    return this.pathIn(index, 0, size)
  }

  private pathIn(index: number, begin: number, end: number): Buffer[] {
    if (end - begin === 1) return []
    const split = begin + splitOf(end - begin)
    return index < split
      ? [...this.pathIn(index, begin, split), this.root(split, end)]
      : [...this.pathIn(index, split, end), this.root(begin, split)]
  }

  /** The proof that the tree of `to` leaves extends that of `from`. */
  consistency(from: number, to: number): Buffer[] {
    return this.subproof(from, 0, to, true)
  }

  private subproof(from: number, begin: number, end: number, isWhole: boolean): Buffer[] {
    if (from === end) return isWhole ? [] : [this.root(begin, end)]
    const split = begin + splitOf(end - begin)
    return from <= split
      ? [...this.subproof(from, begin, split, isWhole), this.root(split, end)]
      : [...this.subproof(from, split, end, false), this.root(begin, split)]
  }
}

/** The greatest power of two below the number of leaves. */
function splitOf(count: number): number {
  let split = 1
  while (split * 2 < count) split *= 2
  return split
}

export const plainRoot = (leaves: Buffer[]): Buffer => new PlainTree(leaves).root(0, leaves.length)
export const plainPath = (index: number, leaves: Buffer[]): Buffer[] => new PlainTree(leaves).path(index, leaves.length)
export const plainConsistency = (from: number, leaves: Buffer[]): Buffer[] =>
  new PlainTree(leaves).consistency(from, leaves.length)
