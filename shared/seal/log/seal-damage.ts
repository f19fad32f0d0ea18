/**
 * Reason why a log is not sealed (S2.4). `missing`: a change has no entry. `unfounded`: no commit created the entry, or the entry is a
 * duplicate. `altered`: an entry differs from its commit. `gap`: a commit record is missing. `misnumbered`: an entry has a wrong leaf
 * number. `tile`: the tiles do not match the root of the checkpoint. `checkpoint`: the bucket's checkpoint belongs to a different log or
 * key, or is older than the table's. `behind`: the table was restored, so the bucket has more leaves. `diverged`: the table was restored
 * and then written to. `absent`: the bucket was replaced.
 */
export type SealProblem =
  | 'missing'
  | 'unfounded'
  | 'altered'
  | 'gap'
  | 'misnumbered'
  | 'tile'
  | 'checkpoint'
  | 'behind'
  | 'diverged'
  | 'absent'

/** Thrown if the verification of a log fails. Sealing then stops, and nothing is signed. */
export class SealDamage extends Error {
  readonly problem: SealProblem
  /** Log id of the entry, or path of the tile or checkpoint. */
  readonly at: string

  constructor(problem: SealProblem, at: string) {
    super(`The log failed its verification: ${problem} at ${at}.`)
    this.problem = problem
    this.at = at
  }
}

/** Thrown to end a run when a concurrent run is sealing the log. */
export class SealConflict extends Error {
  constructor() {
    super('Another run works on the log now.')
  }
}
