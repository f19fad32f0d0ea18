import { consistencySubtrees, inclusionSubtrees } from '#shared/seal/merkle/tree-shape.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** Decodes base64. @throws DOMException for another text */
export const fromBase64 = (text: string): Bytes => Uint8Array.from(atob(text), (character) => character.charCodeAt(0))

export const toBase64 = (bytes: Bytes): string => btoa(String.fromCharCode(...bytes))

export const toBytes = (text: string): Bytes => new TextEncoder().encode(text)

export async function sha256(...parts: Bytes[]): Promise<Bytes> {
  const bytes = await new Blob(parts).arrayBuffer()
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

/** Hash of a leaf in base64 (RFC 6962, 2.1). */
export const hashLeaf = async (content: string): Promise<string> =>
  toBase64(await sha256(Uint8Array.of(0), toBytes(content)))

/** Hash of a node. A text that is not base64 results in a blank hash, which equals no root. */
async function hashNode(left: string, right: string): Promise<string> {
  try {
    return toBase64(await sha256(Uint8Array.of(1), fromBase64(left), fromBase64(right)))
  } catch {
    return ''
  }
}

const isSize = (size: number): boolean => Number.isSafeInteger(size) && size >= 0

/** Follows the path of a leaf to the root of its tree. Returns null for a path that does not fit the tree (RFC 6962, 2.1.1). */
export async function followPath(leaf: string, index: number, size: number, path: string[]): Promise<string | null> {
  if (!isSize(index) || !isSize(size) || index >= size) return null
  const parts = inclusionSubtrees(index, size)
  if (parts.length !== path.length) return null
  let hash = leaf
  for (const [step, { begin }] of parts.entries()) {
    const other = path[step] ?? ''
    hash = await (begin < index ? hashNode(other, hash) : hashNode(hash, other))
  }
  return hash
}

/** Size and root of a tree. */
export type Tree = { size: number; root: string }

/** True if the path proves that the tree `to` extends the tree `from`, which has leaves (RFC 9162, 2.1.4.2). */
export async function isExtension(from: Tree, to: Tree, path: string[]): Promise<boolean> {
  if (!isSize(from.size) || !isSize(to.size) || from.size === 0 || from.size > to.size) return false
  if (from.size === to.size) return from.root === to.root
  const parts = consistencySubtrees(from.size, to.size)
  if (parts.length !== path.length) return false
  // The first part is the last complete subtree of the earlier tree, unless that tree is complete itself.
  const isWhole = parts[0]?.end !== from.size
  const [first = '', ...hashes] = isWhole ? [from.root, ...path] : path
  let [older, newer] = [first, first]
  for (const [step, { begin }] of (isWhole ? parts : parts.slice(1)).entries()) {
    const hash = hashes[step] ?? ''
    if (begin < from.size) older = await hashNode(hash, older)
    newer = await (begin < from.size ? hashNode(hash, newer) : hashNode(newer, hash))
  }
  return older === from.root && newer === to.root
}
