import * as v from 'valibot'

/**
 * Contradiction of one item of the table to the rows, or of a row to the commits.
 *
 * `missing`: a row has no guard or edge that points to it, a commit has no record, an account has no head, or a
 * row is gone that its last commit wrote.
 * `unfounded`: a guard or edge points to no row that has it, a commit record is beyond the head, or no commit wrote a row.
 * `miscounted`: a counter has another number than the rows. `altered`: a row is not as its commit wrote it, or a commit
 * record names rows that cannot be. `outdated`: a later
 * commit wrote or deleted a row that is there as an earlier one left it.
 */
export const RowFinding = v.strictObject({
  problem: v.picklist(['missing', 'unfounded', 'miscounted', 'altered', 'outdated']),
  item: v.picklist(['guard', 'edge', 'commit', 'counter', 'head', 'row']),
  account_id: v.string(),
  /** The partition of the item, or the name of the counter in the head item. */
  at: v.string(),
  sort: v.nullable(v.string()),
  counted: v.optional(v.number()),
  found: v.optional(v.number()),
  /** For a row: the commit that it names; where it is `missing` or `outdated`, the last one that wrote or deleted it. */
  commit: v.optional(v.number()),
  /**
   * For an altered row: fields with another value than on record; where there are none, those that the record does not show.
   * Missing where the change of its commit is not logged.
   */
  fields: v.optional(v.array(v.string())),
})
export type RowFinding = v.InferOutput<typeof RowFinding>
