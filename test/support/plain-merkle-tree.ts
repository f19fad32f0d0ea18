import { emptyRoot, nodeHash } from '#shared/seal/merkle-hash.ts'

/** The greatest power of two below the number of leaves. */
function splitOf(leaves: Buffer[]): number {
  let split = 1
  while (split * 2 < leaves.length) split *= 2
  return split
}

/** A Merkle tree as RFC 6962, 2.1 words it, without any thrift: what the one of the service is held against. */
export function plainRoot(leaves: Buffer[]): Buffer {
  const [first] = leaves
  if (!first) return emptyRoot()
  if (leaves.length === 1) return first
  const split = splitOf(leaves)
  return nodeHash(plainRoot(leaves.slice(0, split)), plainRoot(leaves.slice(split)))
}

export function plainPath(index: number, leaves: Buffer[]): Buffer[] {
  if (leaves.length === 1) return []
  const split = splitOf(leaves)
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)]
  return index < split
    ? [...plainPath(index, left), plainRoot(right)]
    : [...plainPath(index - split, right), plainRoot(left)]
}

export const plainConsistency = (from: number, leaves: Buffer[]): Buffer[] => subproof(from, leaves, true)

function subproof(from: number, leaves: Buffer[], isWhole: boolean): Buffer[] {
  if (from === leaves.length) return isWhole ? [] : [plainRoot(leaves)]
  const split = splitOf(leaves)
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)]
  return from <= split
    ? [...subproof(from, left, isWhole), plainRoot(right)]
    : [...subproof(from - split, right, false), plainRoot(left)]
}
