/** What an action was about, so that the checks look there first. */
export type Touched = {
  actors?: Iterable<string>
  resources?: Iterable<string>
  gateways?: Iterable<string>
  /** Set where rows can be left that give no access any more but show until the stream's consumer has come (A29). */
  leavesRows?: boolean
}
