/**
 * Rows that a deletion leaves for later: those below a deleted object that give no access any more (A29). The commit's
 * record names it, and the follow-up consumer finishes it with the subject of the request.
 */
export type Cascade = { below: string; id: string }
