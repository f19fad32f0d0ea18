import * as v from 'valibot'
import { hourStreams, sealedLogs } from '../log/sealed-log.ts'

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const path = v.array(v.string())
const PlacedLeaf = v.object({ leaf_index: count, path })

/** The last line of an export (S5.1): what its entries are held against. */
export const ExportSeal = v.object({
  type: v.literal('seal'),
  version: v.literal(1),
  log: v.picklist(sealedLogs),
  /** The type of the entries. */
  stream: v.picklist(['change', ...hourStreams]),
  note: v.string(),
  verifier_key: v.string(),
  entries: count,
  /** The first and last leaf of the log that the export has something of; null where it has nothing. */
  first: v.nullable(PlacedLeaf),
  last: v.nullable(PlacedLeaf),
  /** The first four bytes of the hash of each entry as it was sealed, in base64: which one it is that does not hold. */
  leaves: v.string(),
  /** Of activity: all hours of these leaves, and where in its hours the export begins and ends. */
  hours: v.optional(
    v.array(v.object({ hour: v.string(), stream: v.picklist(hourStreams), size: count, root: v.string() })),
  ),
  begin: v.optional(PlacedLeaf),
  end: v.optional(PlacedLeaf),
  /** The newest checkpoint that was signed of the log that this one follows (S2.5). */
  follows: v.optional(v.object({ note: v.string() })),
  /** Proofs that the checkpoint extends earlier ones. */
  extends: v.optional(v.array(v.object({ from: count, path }))),
})
export type ExportSeal = v.InferOutput<typeof ExportSeal>

/** Bytes of each hash in `leaves`. */
export const markBytes = 4
