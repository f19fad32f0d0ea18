import type { ExportSeal } from './export-seal.ts'
import type { Verified } from './verify-export.ts'

const notShown = (where: string): string =>
  `NOT SHOWN: that none is missing ${where}, since the entry next to them is past its retention`

/** The part of a range that is proven, and what is not proven of it. */
function describeRange({ seal, proven }: Verified): string {
  const { begin, end } = seal.range
  const isToEnd = proven.end && seal.after !== null
  const until = isToEnd ? `to ${end}` : 'to the last entry that the checkpoint covers'
  if (proven.begin && proven.end) return `complete from ${begin} ${until}, in order and unchanged`
  const missing = [
    proven.begin ? '' : `between ${begin} and the first`,
    proven.end ? '' : `between the last and ${end}`,
  ]
  return `in order, unchanged and none missing between them; ${notShown(missing.filter(Boolean).join(' and '))}`
}

/** The leaves of the entries themselves, or of the hours that they are in. */
function describeLeaves({ log, entries, before, first, last }: ExportSeal, size: number): string {
  if (entries === 0) return ''
  const from = (first?.leaf_index ?? 0) + (log === 'changes' && before ? 1 : 0)
  const to = log === 'changes' ? from + entries - 1 : (last?.leaf_index ?? size - 1)
  return `, leaves ${from} to ${to} of ${size}`
}

function describeFollowed({ follows }: Verified): string {
  if (!follows) return ''
  const { origin, size, shared, last } = follows
  return `; it follows ${origin} of ${size} leaves, of which it has the first ${shared}${last === null ? '' : `, up to ${last}`}`
}

/** The statement that a verified export proves, in one line. */
export function describeVerified(verified: Verified, key: string | undefined): string {
  const { seal, checkpoint } = verified
  const by = key === undefined ? ' (the key that the file names: compare it, or give --key)' : ''
  const entries = `${seal.entries} ${seal.stream} entries of ${checkpoint.origin}`
  const range = `${describeRange(verified)}${describeLeaves(seal, checkpoint.size)}`
  return `${entries}, ${range}; signed by ${key ?? seal.verifier_key}${by}${describeFollowed(verified)}`
}
