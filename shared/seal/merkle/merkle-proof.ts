import { hash } from 'node:crypto'
import { consistencySubtrees, inclusionSubtrees, type Leaves } from './tree-shape.ts'

export const hashBytes = 32

const leafPrefix = Buffer.from([0])

/** Hash of a leaf (RFC 6962, 2.1). */
export const leafHash = (content: string | Buffer): Buffer =>
  hash('sha256', typeof content === 'string' ? `\0${content}` : Buffer.concat([leafPrefix, content]), 'buffer')

const node = Buffer.alloc(1 + 2 * hashBytes, 1)

export function nodeHash(left: Buffer, right: Buffer): Buffer {
  left.copy(node, 1)
  right.copy(node, 1 + hashBytes)
  return hash('sha256', node, 'buffer')
}

export const emptyRoot = (): Buffer => hash('sha256', '', 'buffer')

/** Computes the root over adjacent perfect subtrees. `hashes` are the roots of the subtrees, the largest subtree first. */
export const foldHashes = (hashes: Buffer[]): Buffer =>
  hashes.length === 0 ? emptyRoot() : hashes.reduceRight((right, left) => nodeHash(left, right))

/** Perfect subtree of `2 ** level` leaves. `index` is its position among the subtrees of that size, from 0. */
export type Node = { level: number; index: number }

export function perfectSubtrees({ begin, end }: Leaves): Node[] {
  const nodes: Node[] = []
  for (let at = begin; at < end; ) {
    let [level, width] = [0, 1]
    while (at % (width * 2) === 0 && at + width * 2 <= end) {
      level++
      width *= 2
    }
    nodes.push({ level, index: at / width })
    at += width
  }
  return nodes
}

/** Reads the hashes of perfect subtrees, in the order of `nodes`. */
export type HashReader = (nodes: Node[]) => Promise<Buffer[]>

async function readRoots(parts: Leaves[], read: HashReader): Promise<Buffer[]> {
  const nodes = parts.map(perfectSubtrees)
  const hashes = await read(nodes.flat())
  return nodes.map(({ length }) => foldHashes(hashes.splice(0, length)))
}

export const readRoot = async (size: number, read: HashReader): Promise<Buffer> =>
  foldHashes(await read(perfectSubtrees({ begin: 0, end: size })))

export const inclusionProof = (index: number, size: number, read: HashReader): Promise<Buffer[]> =>
  readRoots(inclusionSubtrees(index, size), read)

export const consistencyProof = (from: number, to: number, read: HashReader): Promise<Buffer[]> =>
  readRoots(consistencySubtrees(from, to), read)

/** Returns the hashes on the left of a leaf's path, the largest subtree first. Their subtrees cover all leaves before the leaf. */
export const leftHashes = (index: number, size: number, path: Buffer[]): Buffer[] =>
  path.filter((_, i) => (inclusionSubtrees(index, size)[i]?.begin ?? index) < index).reverse()

export function provesInclusion(leaf: Buffer, index: number, size: number, path: Buffer[], root: Buffer): boolean {
  if (!(index >= 0 && index < size)) return false
  const parts = inclusionSubtrees(index, size)
  if (parts.length !== path.length) return false
  return parts.reduce((hash, { begin }, i) => join(hash, path[i] as Buffer, begin < index), leaf).equals(root)
}

const join = (hash: Buffer, other: Buffer, isLeft: boolean): Buffer =>
  isLeft ? nodeHash(other, hash) : nodeHash(hash, other)

type Tree = { size: number; root: Buffer }

/** Verifies that the tree `to` extends the tree `from` (RFC 9162, 2.1.4.2). */
export function provesConsistency(from: Tree, to: Tree, path: Buffer[]): boolean {
  if (from.size > to.size || (from.size === to.size && !from.root.equals(to.root))) return false
  if (from.size === 0 && !from.root.equals(emptyRoot())) return false
  const parts = consistencySubtrees(from.size, to.size)
  if (parts.length !== path.length) return false
  if (from.size === 0 || from.size === to.size) return true
  const isWhole = parts[0]?.end !== from.size
  const siblings = isWhole ? parts : parts.slice(1)
  const [first, ...hashes] = (isWhole ? [from.root, ...path] : path) as [Buffer, ...Buffer[]]
  let [old, fresh] = [first, first]
  for (const [i, { begin }] of siblings.entries()) {
    const [hash, isLeft] = [hashes[i] as Buffer, begin < from.size]
    if (isLeft) old = nodeHash(hash, old)
    fresh = join(fresh, hash, isLeft)
  }
  return old.equals(from.root) && fresh.equals(to.root)
}
