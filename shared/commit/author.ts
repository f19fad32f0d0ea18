import type { Subject } from '../core/subject.ts'
import type { Write } from '../table/write-together.ts'

/** Author and rules of a commit. A null `subject` is the service itself (L5). */
export type Author = {
  accountId: string
  subject: Subject | null
  /** Scopes of the caller's token (A3.2); missing when the service itself makes the change. */
  scopes?: readonly string[]
  /** The sync run that makes the change (I4.7). */
  runId?: string
  /** Runs the change only if the request's `If-Match` precondition is met when the commit is made (A8.2). */
  precondition?: <T>(change: () => Promise<T>) => Promise<T>
  /** Returns a write that stores the response in the same transaction as the commit, for idempotent retries (A8.3). */
  responseWrite?: (result: unknown) => Promise<NonNullable<Write['Put']>>
}
