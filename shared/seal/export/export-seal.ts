import * as v from 'valibot'
import { parseTimestamp } from '../../core/clock.ts'
import { isObject } from '../../core/json/is-object.ts'
import { canonicalJson } from '../log/canonical-json.ts'
import { hourStreams, sealedLogs } from '../log/sealed-log.ts'
import { hashBytes } from '../merkle/merkle-proof.ts'

/** Accepts only safe integers, because larger numbers would make the search for a proof endless. */
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

const isHash = (text: string): boolean => {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === hashBytes && bytes.toString('base64') === text
}
const hash = v.pipe(v.string(), v.check(isHash))
const path = v.array(hash)
const LeafProof = v.strictObject({ leaf_index: count, path })
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

/** Last line of an export, with the proofs of its entries (S5.1). Members are written in the declared order. */
export const ExportSeal = v.strictObject({
  type: v.literal('seal'),
  version: v.literal(exportVersion),
  log: v.picklist(sealedLogs),
  stream: v.picklist(['change', ...hourStreams]),
  /** Requested time range, including `begin` and `end`. */
  range,
  note: v.string(),
  verifier_key: v.pipe(v.string(), v.regex(/^\S+$/)),
  entries: count,
  /**
   * Entries directly before and after the range, which prove that the export is complete. Null if the log has no such entry, or if the
   * entry is past its retention.
   */
  before: v.nullable(Entry),
  after: v.nullable(Entry),
  /**
   * Inclusion proofs of the first and last leaves of the export, including those of `before` and `after`. A proof is null if its leaf is the
   * first or last leaf of the log.
   */
  first: v.nullable(LeafProof),
  last: v.nullable(LeafProof),
  /** Hours that the leaves from `first` to `last` seal, one per leaf. Only in the activity log. */
  hours: v.optional(
    v.array(v.strictObject({ hour: instant, stream: v.picklist(hourStreams), size: count, root: hash })),
  ),
  /** Inclusion proofs of the outermost entries in their hours; activity log only. Absent for the first or last entry of an hour. */
  begin: v.optional(LeafProof),
  end: v.optional(LeafProof),
  /** Newest signed checkpoint of the log's predecessor (S2.5). */
  follows: v.optional(v.strictObject({ note: v.string() })),
  /** Consistency proof that the checkpoint extends an earlier checkpoint. */
  extends: v.optional(v.strictObject({ from: count, root: hash, path })),
  /** Marks in base64: the first bytes of each sealed leaf hash, which locate a changed entry. */
  leaves: v.string(),
})
export type ExportSeal = v.InferOutput<typeof ExportSeal>

export const markBytes = 4

export const marksLength = (entries: number): number => 4 * Math.ceil((entries * markBytes) / 3)

/** Characters that editors hide or show as a line break. The list is fixed, because Unicode versions differ between Node.js versions. */
const invisible =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu
const ascii = /^[ -~]*$/

const escapeUnits = (character: string): string =>
  Array.from(character.split(''), (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')

const escaped = (json: string): string => (ascii.test(json) ? json : json.replace(invisible, escapeUnits))

/** Builds the line of an entry: canonical JSON in which invisible characters are escaped (S5.1). */
export const entryLine = (entry: unknown): string => escaped(canonicalJson(entry))

/** Builds the line of a seal. Members keep their declared order, and each value is canonical JSON. */
export const sealLine = (seal: object): string =>
  escaped(`{${Object.entries(seal).map(([name, value]) => `"${name}":${canonicalJson(value)}`)}}`)

/** Parses the line of an entry. Returns null for text that an export cannot contain, such as a repeated member name. */
export function parseEntryLine(line: string): { entry: unknown; canonical: string } | null {
  try {
    const entry: unknown = JSON.parse(line)
    const canonical = canonicalJson(entry)
    return escaped(canonical) === line ? { entry, canonical } : null
  } catch {
    return null
  }
}
