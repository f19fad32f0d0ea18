/** Ids of the objects that an action affected, which the checks examine first. */
export type Touched = {
  actors?: Iterable<string>
  resources?: Iterable<string>
  gateways?: Iterable<string>
  /** True if rows may remain that no longer grant access but are listed until the stream's consumer has run (A29). */
  leavesRows?: boolean
}
