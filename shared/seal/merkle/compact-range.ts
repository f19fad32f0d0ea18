import { foldHashes, hashBytes, nodeHash } from './merkle-hash.ts'
import { nodesOf } from './merkle-nodes.ts'

/** The first leaves of a tree, of which only the roots of perfect subtrees are held: what it takes to add leaves to it. */
export class CompactRange {
  size: number
  private readonly hashes: Buffer[]

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

  /** The hashes one after the other, the largest subtree's first. */
  bytes(): Buffer {
    return Buffer.concat(this.hashes)
  }

  /** True where these are the hashes of all leaves so far. */
  holds(hashes: Buffer[]): boolean {
    return hashes.length === this.hashes.length && hashes.every((hash, i) => hash.equals(this.hashes[i] as Buffer))
  }
}

/** Hashes that stand one after the other. */
export const splitHashes = (bytes: Uint8Array): Buffer[] => {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: Math.floor(all.length / hashBytes) }, (_, i) =>
    all.subarray(i * hashBytes, (i + 1) * hashBytes),
  )
}
