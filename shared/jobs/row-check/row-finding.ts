import * as v from 'valibot'

/**
 * What one item of the table says otherwise than the rows, or a row otherwise than the commits.
 *
 * `missing`: a row has no guard or edge that leads to it, a commit has no record, or a row is gone that its last commit wrote.
 * `unfounded`: a guard or edge leads to no row that has it, a commit record lies beyond the head, or no commit wrote a row.
 * `miscounted`: a counter says another number than the rows. `altered`: a row is not as its commit wrote it. `outdated`: a later
 * commit wrote or deleted a row that is there as an earlier one left it.
 */
export const RowFinding = v.strictObject({
  problem: v.picklist(['missing', 'unfounded', 'miscounted', 'altered', 'outdated']),
  item: v.picklist(['guard', 'edge', 'commit', 'counter', 'row']),
  account_id: v.string(),
  /** The partition of the item, or the name of the counter in the head item. */
  at: v.string(),
  sort: v.nullable(v.string()),
  counted: v.optional(v.number()),
  found: v.optional(v.number()),
  /** Of a row: the commit that it names; where it is `missing` or `outdated`, the last one that wrote or deleted it. */
  commit: v.optional(v.number()),
  /**
   * Of an altered row: fields with another value than on record; where there are none, those that the record does not show.
   * Missing where the change of its commit is not logged.
   */
  fields: v.optional(v.array(v.string())),
})
export type RowFinding = v.InferOutput<typeof RowFinding>
