import * as v from 'valibot'
import { parseTimestamp } from '../../core/clock.ts'
import { isObject } from '../../core/json/is-object.ts'
import { canonicalJson } from '../log/canonical-json.ts'
import { hourStreams, sealedLogs } from '../log/sealed-log.ts'
import { hashBytes } from '../merkle/merkle-proof.ts'

/** Safe integers: above, sums no longer change, and a proof would be searched without end. */
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

export const exportVersion = 2

/** The last line of an export (S5.1), which its entries are compared with. Its members are written in this order. */
export const ExportSeal = v.strictObject({
  type: v.literal('seal'),
  version: v.literal(exportVersion),
  log: v.picklist(sealedLogs),
  stream: v.picklist(['change', ...hourStreams]),
  /** The requested time range, both ends included. */
  range,
  note: v.string(),
  verifier_key: v.pipe(v.string(), v.regex(/^\S+$/)),
  entries: count,
  /** The entries next to the range, which prove its ends; null where the log or the retention ends first. */
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
  /** The first bytes of the hash of each entry as it was sealed, in base64, to locate an entry that does not hold. */
  leaves: v.string(),
})
export type ExportSeal = v.InferOutput<typeof ExportSeal>

/** Bytes of each hash in `leaves`. */
export const markBytes = 4

/** Characters of base64 for this number of marks. */
export const marksLength = (entries: number): number => 4 * Math.ceil((entries * markBytes) / 3)

/** Characters that editors show as a line break or not at all. A fixed list, since each Node has its own Unicode. */
const unseen =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu
const ascii = /^[ -~]*$/

const escapeOf = (character: string): string =>
  Array.from(character.split(''), (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')

const escaped = (json: string): string => (ascii.test(json) ? json : json.replace(unseen, escapeOf))

/** The one text of an entry in an export: its canonical form, with unseen characters as escapes (S5.1). */
export const entryLine = (entry: unknown): string => escaped(canonicalJson(entry))

/** The one text of a seal: its members in their order, each in its canonical form. */
export const sealLine = (seal: object): string =>
  escaped(`{${Object.entries(seal).map(([name, value]) => `"${name}":${canonicalJson(value)}`)}}`)

/** Parses the line of an entry. Null for a text that an export does not write, such as one with a name twice. */
export function parseEntryLine(line: string): { entry: unknown; canonical: string } | null {
  try {
    const entry: unknown = JSON.parse(line)
    const canonical = canonicalJson(entry)
    return escaped(canonical) === line ? { entry, canonical } : null
  } catch {
    return null
  }
}
