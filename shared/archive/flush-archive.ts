import { clock } from '../core/clock.ts'
import { inParallel } from '../core/work/in-parallel.ts'
import { accounts } from '../domain/accounts/account.ts'
import { sealedAccountsPartition } from '../seal/log/sealed-log.ts'
import { entityKey } from '../table/keys.ts'
import { checkExistence, queryItems } from '../table/read.ts'
import { flushAccount } from './flush-account.ts'

const concurrency = 2
const pageSize = 50

/**
 * Flushes the due hours of all accounts until the deadline (R3.1). A failure does not delay other accounts. Skips accounts in
 * deletion, which removes them from the list.
 * @throws AggregateError with all failures
 */
export async function flushArchive(deadline: number): Promise<void> {
  const errors: unknown[] = []
  for (let after: string | undefined, more = true; more && clock.monotonic() < deadline; ) {
    const page = await queryItems(sealedAccountsPartition, { after, limit: pageSize })
    const ids = page.map(({ sk }) => sk)
    const exist = await checkExistence(ids.map((id) => entityKey(id, accounts.name, id)))
    await inParallel(
      ids.filter((_, i) => exist[i]),
      concurrency,
      (account) =>
        clock.monotonic() > deadline
          ? Promise.resolve()
          : flushAccount(account, deadline).catch((error) => void errors.push(error)),
    )
    after = page.at(-1)?.sk
    more = page.length === pageSize
  }
  if (errors.length > 0) throw new AggregateError(errors, 'Some accounts were not flushed.')
}
