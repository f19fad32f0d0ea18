import * as v from 'valibot'

/**
 * What one item of the table says otherwise than the rows. `missing`: a row has no guard or edge that leads to it, or a head
 * no record of its last commit. `unfounded`: a guard or edge leads to no row that has it, or a commit record lies beyond the
 * head. `miscounted`: a counter says another number than the rows.
 */
export const RowFinding = v.strictObject({
  problem: v.picklist(['missing', 'unfounded', 'miscounted']),
  item: v.picklist(['guard', 'edge', 'commit', 'counter']),
  account_id: v.string(),
  /** The partition of the item, or the name of the counter in the head item. */
  at: v.string(),
  sort: v.nullable(v.string()),
  counted: v.optional(v.number()),
  found: v.optional(v.number()),
})
export type RowFinding = v.InferOutput<typeof RowFinding>
