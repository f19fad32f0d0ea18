/** Range of leaves. `end` is exclusive. */
export type Leaves = { begin: number; end: number }

function largestSplit(count: number): number {
  let split = 1
  while (split * 2 < count) split *= 2
  return split
}

/**
 * Descends to the subtree that ends before leaf `until` or, with `toLeaf`, to the last leaf of that subtree. Returns the subtree and the
 * siblings along its path, from the bottom upward.
 */
function descend(until: number, size: number, toLeaf: boolean): { subtree: Leaves; siblings: Leaves[] } {
  const siblings: Leaves[] = []
  let [begin, end] = [0, size]
  while (end !== until || (toLeaf && end - begin > 1)) {
    const middle = begin + largestSplit(end - begin)
    if (until <= middle) {
      siblings.push({ begin: middle, end })
      end = middle
    } else {
      siblings.push({ begin, end: middle })
      begin = middle
    }
  }
  return { subtree: { begin, end }, siblings: siblings.reverse() }
}

/** Subtrees whose roots form the inclusion proof of a leaf, from the leaf upward (RFC 6962, 2.1.1). */
export const inclusionSubtrees = (index: number, size: number): Leaves[] =>
  index < size ? descend(index + 1, size, true).siblings : []

/** Subtrees whose roots form the consistency proof between two tree sizes (RFC 6962, 2.1.2). */
export function consistencySubtrees(from: number, to: number): Leaves[] {
  if (from === 0) return []
  const { subtree, siblings } = descend(from, to, false)
  // Omits a subtree that is the whole earlier tree, because the verifier already has its root.
  return subtree.begin === 0 ? siblings : [subtree, ...siblings]
}
