/** Objects of an action, which the checks examine first. */
export type Touched = {
  actors?: Iterable<string>
  resources?: Iterable<string>
  gateways?: Iterable<string>
  /** Set if rows may remain that grant no access but are still listed until the stream's consumer has run (A29). */
  leavesRows?: boolean
}
