import { hash } from 'node:crypto'

export const hashBytes = 32

const leafPrefix = Buffer.from([0])
const nodePrefix = Buffer.from([1])

/** The hash of a leaf (RFC 6962, 2.1). */
export const leafHash = (content: string | Buffer): Buffer =>
  hash('sha256', typeof content === 'string' ? `\0${content}` : Buffer.concat([leafPrefix, content]), 'buffer')

const node = Buffer.alloc(1 + 2 * hashBytes)
nodePrefix.copy(node)

/** The hash of a node over two others (RFC 6962, 2.1). */
export function nodeHash(left: Buffer, right: Buffer): Buffer {
  left.copy(node, 1)
  right.copy(node, 1 + hashBytes)
  return hash('sha256', node, 'buffer')
}

/** The root of a tree without leaves. */
export const emptyRoot = (): Buffer => hash('sha256', '', 'buffer')

/** The root over perfect subtrees that stand side by side, the largest first. */
export function foldHashes(hashes: Buffer[]): Buffer {
  if (hashes.length === 0) return emptyRoot()
  return hashes.reduceRight((right, left) => nodeHash(left, right))
}
