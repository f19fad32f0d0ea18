/**
 * What a commit leaves for later: the rows below a deleted object that give no access any more (A29), or what is still to
 * be written to a set of members (A15.6). The commit's record names it by collection and id, and the follow-up consumer
 * finishes it with the subject of the request. `change` is the id of a set's change: another that has replaced it is not
 * this subject's to finish.
 */
export type Cascade = { below: string; id: string; change?: string }
