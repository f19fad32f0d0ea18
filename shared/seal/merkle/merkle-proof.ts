import { emptyRoot, foldHashes, nodeHash } from './merkle-hash.ts'
import { consistencyParts, inclusionParts, type Leaves, type Node, nodesOf } from './merkle-nodes.ts'

/** Tells the hashes of perfect subtrees, in the order in which they are asked for. */
export type HashReader = (nodes: Node[]) => Promise<Buffer[]>

async function hashesOf(parts: Leaves[], read: HashReader): Promise<Buffer[]> {
  const nodes = parts.map(nodesOf)
  const hashes = await read(nodes.flat())
  return nodes.map(({ length }) => foldHashes(hashes.splice(0, length)))
}

/** The root of the first `size` leaves. */
export const rootOf = async (size: number, read: HashReader): Promise<Buffer> =>
  foldHashes(await read(nodesOf({ begin: 0, end: size })))

/** The path from a leaf upward. */
export const inclusionProof = (index: number, size: number, read: HashReader): Promise<Buffer[]> =>
  hashesOf(inclusionParts(index, size), read)

export const consistencyProof = (from: number, to: number, read: HashReader): Promise<Buffer[]> =>
  hashesOf(consistencyParts(from, to), read)

/** Of the path of a leaf: the hashes to its left, which are those of all leaves before it, the largest first. */
export const leftOf = (index: number, size: number, path: Buffer[]): Buffer[] =>
  path.filter((_, i) => (inclusionParts(index, size)[i]?.begin ?? index) < index).reverse()

/** The root that a leaf and its path lead to; null where the path has not the length of such a tree. */
function rootFromPath(leaf: Buffer, index: number, size: number, path: Buffer[]): Buffer | null {
  if (!(index >= 0 && index < size)) return null
  const parts = inclusionParts(index, size)
  if (parts.length !== path.length) return null
  return path.reduce(
    (hash, other, i) => ((parts[i]?.begin ?? 0) < index ? nodeHash(other, hash) : nodeHash(hash, other)),
    leaf,
  )
}

export const provesInclusion = (leaf: Buffer, index: number, size: number, path: Buffer[], root: Buffer): boolean =>
  rootFromPath(leaf, index, size, path)?.equals(root) ?? false

type Tree = { size: number; root: Buffer }

/** Tells if a path proves that a tree extends an earlier one (RFC 9162, 2.1.4.2). */
export function provesConsistency(from: Tree, to: Tree, path: Buffer[]): boolean {
  if (from.size > to.size) return false
  if (from.size === to.size) return path.length === 0 && from.root.equals(to.root)
  if (from.size === 0) return path.length === 0 && from.root.equals(emptyRoot())
  const hashes = isPowerOfTwo(from.size) ? [from.root, ...path] : [...path]
  let [one, other] = [from.size - 1, to.size - 1]
  while (one % 2 === 1) [one, other] = [half(one), half(other)]
  const first = hashes.shift()
  if (!first) return false
  let [old, fresh] = [first, first]
  for (const hash of hashes) {
    if (other === 0) return false
    if (one % 2 === 1 || one === other) {
      old = nodeHash(hash, old)
      fresh = nodeHash(hash, fresh)
      while (one % 2 === 0 && one !== 0) [one, other] = [half(one), half(other)]
    } else {
      fresh = nodeHash(fresh, hash)
    }
    ;[one, other] = [half(one), half(other)]
  }
  return other === 0 && old.equals(from.root) && fresh.equals(to.root)
}

const half = (count: number): number => Math.floor(count / 2)
const isPowerOfTwo = (count: number): boolean => Number.isInteger(Math.log2(count))
