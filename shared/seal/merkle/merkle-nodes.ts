/** A perfect subtree: the `index`-th of those over `2 ** level` leaves. */
export type Node = { level: number; index: number }

/** Leaves from `begin` up to `end`, which is not one of them. */
export type Leaves = { begin: number; end: number }

/** The greatest power of two below a number above 1. */
function splitOf(count: number): number {
  let split = 1
  while (split * 2 < count) split *= 2
  return split
}

/** The perfect subtrees that make up the leaves of a tree's proof, the largest first. */
export function nodesOf({ begin, end }: Leaves): Node[] {
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

/** What the proof of a leaf is made of, from the leaf upward (RFC 6962, 2.1.1). */
export function inclusionParts(index: number, size: number): Leaves[] {
  const parts: Leaves[] = []
  for (let [begin, end] = [0, size]; end - begin > 1; ) {
    const middle = begin + splitOf(end - begin)
    if (index < middle) {
      parts.push({ begin: middle, end })
      end = middle
    } else {
      parts.push({ begin, end: middle })
      begin = middle
    }
  }
  return parts.reverse()
}

/** What the proof is made of that a tree extends an earlier one (RFC 6962, 2.1.2). */
export function consistencyParts(from: number, to: number): Leaves[] {
  if (from === 0 || from === to) return []
  const parts: Leaves[] = []
  let [begin, end, isWhole] = [0, to, true]
  while (from !== end) {
    const middle = begin + splitOf(end - begin)
    if (from <= middle) {
      parts.push({ begin: middle, end })
      end = middle
    } else {
      parts.push({ begin, end: middle })
      begin = middle
      isWhole = false
    }
  }
  if (!isWhole) parts.push({ begin, end })
  return parts.reverse()
}
