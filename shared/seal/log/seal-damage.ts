/**
 * The reason why a log is not sealed (S2.4). `missing`: a change without its entry. `unfounded`: an entry of no commit, or
 * a second one. `altered`: an entry that differs from its commit. `gap`: a commit record is missing. `misnumbered`: a
 * number that is not that of the entry. `tile`: a tile does not lead to the root of the checkpoint. `checkpoint`: that in
 * the bucket is of another log or key, or older than the table. `behind`: the tree in the bucket is longer, since the
 * table was restored. `diverged`: the table was restored and written since. `absent`: the bucket is another one.
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

/** Signals a run that has lost the log to another one, which continues it. */
export class Overtaken extends Error {
  constructor() {
    super('Another run has the log by now.')
  }
}
