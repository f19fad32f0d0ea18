import * as v from 'valibot'
import { parseTimestamp } from '../../core/clock.ts'
import { isObject } from '../../core/json/is-object.ts'
import { hourStreams, sealedLogs } from '../log/sealed-log.ts'
import { hashBytes } from '../merkle/merkle-hash.ts'

/** Safe: a proof of a larger tree is searched by sums that no longer change, without an end. */
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

const isHash = (text: string): boolean => {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === hashBytes && bytes.toString('base64') === text
}
const hash = v.pipe(v.string(), v.check(isHash))
const path = v.array(hash)
const PlacedLeaf = v.strictObject({ leaf_index: count, path })
const instant = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/),
  v.check((text) => parseTimestamp(text) !== null),
)
const range = v.pipe(
  v.strictObject({ begin: instant, end: instant }),
  v.check(({ begin, end }) => begin <= end),
)
const Entry = v.custom<Record<string, unknown>>(isObject)

/** Version of the form of exports. */
export const exportVersion = 2

/** The last line of an export (S5.1): what its entries are compared with. Its members are written in this order. */
export const ExportSeal = v.strictObject({
  type: v.literal('seal'),
  version: v.literal(exportVersion),
  log: v.picklist(sealedLogs),
  /** The type of the entries. */
  stream: v.picklist(['change', ...hourStreams]),
  /** The time range that was asked for, both ends included. */
  range,
  note: v.string(),
  verifier_key: v.pipe(v.string(), v.regex(/^\S+$/)),
  entries: count,
  /** The entries next to the range, which prove that it begins and ends there; null where the log or the retention ends first. */
  before: v.nullable(Entry),
  after: v.nullable(Entry),
  /** The outermost leaves of the proof, neighbours included; null for the first and the last leaf of the log. */
  first: v.nullable(PlacedLeaf),
  last: v.nullable(PlacedLeaf),
  /** Activity only: all hours of these leaves. */
  hours: v.optional(
    v.array(v.strictObject({ hour: instant, stream: v.picklist(hourStreams), size: count, root: hash })),
  ),
  /** Activity only: the outermost entries within their hours, absent where they are the first and the last. */
  begin: v.optional(PlacedLeaf),
  end: v.optional(PlacedLeaf),
  /** The newest checkpoint that was signed of the log that this one follows (S2.5). */
  follows: v.optional(v.strictObject({ note: v.string() })),
  /** The proof that the checkpoint extends an earlier one. */
  extends: v.optional(v.strictObject({ from: count, root: hash, path })),
  /** The first four bytes of the hash of each entry as it was sealed, in base64: they locate an entry that does not hold. */
  leaves: v.string(),
})
export type ExportSeal = v.InferOutput<typeof ExportSeal>

/** Bytes of each hash in `leaves`. */
export const markBytes = 4

/** Characters of base64 for this number of marks. */
export const marksLength = (entries: number): number => 4 * Math.ceil((entries * markBytes) / 3)
