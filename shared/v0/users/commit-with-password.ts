import { type Author, commit, commitPatienceMs } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { hashPassword } from '../../core/secrets/password-hash.ts'
import { retryUntil } from '../../core/work/work.ts'

/** Returned by a change that passed its checks, before it stages anything, to ask for the hash of its password. */
export class Unhashed {
  readonly password: string

  constructor(password: string) {
    this.password = password
  }
}

type Hashed = (password: string | undefined) => string | Unhashed | undefined

/**
 * A commit that may set a password. It is hashed once, only when nothing else is wrong, and between two commits, so that
 * it is not hashed again for a lost race and no other commit of the account waits for it.
 * @throws ApiError `unavailable` when it does not get through in time; nothing is changed then
 */
export async function commitWithPassword<T>(
  author: Author,
  change: (transaction: Transaction, hashed: Hashed) => Promise<T | Unhashed>,
): Promise<T> {
  const deadline = retryUntil(commitPatienceMs)
  let hash: string | undefined
  const hashed: Hashed = (password) => (password === undefined ? undefined : (hash ?? new Unhashed(password)))
  for (;;) {
    const result = await commit(author, (transaction) => change(transaction, hashed), deadline)
    if (!(result instanceof Unhashed)) return result
    hash = await hashPassword(result.password, deadline)
  }
}
