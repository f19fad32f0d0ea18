/** Why a log is not sealed (S2.4). */
export type SealProblem =
  /** A change without its entry. */
  | 'missing'
  /** An entry that no commit made, or that stands twice. */
  | 'unfounded'
  /** An entry that says something else than its commit. */
  | 'altered'
  /** A commit record is missing. */
  | 'gap'
  /** A number that is not that of the entry. */
  | 'misnumbered'
  /** A tile that does not lead to the root of the checkpoint. */
  | 'tile'
  /** The checkpoint in the bucket is of another log or key, or older than what the table has. */
  | 'checkpoint'
  /** The tree in the bucket is longer than what the table has: the table was restored to an earlier instant. */
  | 'behind'
  /** The bucket has what was signed of another history: the table was restored, and went on. */
  | 'diverged'
  /** The bucket has nothing of a log that was sealed: it is another one. */
  | 'absent'

/** A log that does not hold: nothing is signed. */
export class SealDamage extends Error {
  readonly problem: SealProblem
  /** The `log_id` of the entry, or the path of the tile or checkpoint. */
  readonly at: string

  constructor(problem: SealProblem, at: string) {
    super(`The log does not hold: ${problem} at ${at}.`)
    this.problem = problem
    this.at = at
  }
}
