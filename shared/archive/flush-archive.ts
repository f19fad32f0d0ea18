import { randomInt } from 'node:crypto'
import { clock } from '../core/clock.ts'
import { inParallel } from '../core/work/in-parallel.ts'
import { accounts } from '../domain/accounts/account.ts'
import { sealedAccountsPartition } from '../seal/log/sealed-log.ts'
import { entityKey } from '../table/keys.ts'
import { checkExistence, sortKeysOf } from '../table/read.ts'
import { flushAccount } from './flush-account.ts'

const concurrency = 2

/**
 * Flushes the due hours of all accounts until the deadline (R3.1). Begins with a random account, so that none is always the last one when
 * the time is too short. A failure does not delay other accounts. Skips accounts in deletion, which removes them from the list.
 * @throws AggregateError with all failures
 */
export async function flushArchive(deadline: number): Promise<void> {
  const errors: unknown[] = []
  const ids = await sortKeysOf(sealedAccountsPartition)
  const first = randomInt(ids.length + 1)
  await inParallel([...ids.slice(first), ...ids.slice(0, first)], concurrency, async (account) => {
    if (clock.monotonic() > deadline) return
    try {
      const [exists] = await checkExistence([entityKey(account, accounts.name, account)])
      if (exists) await flushAccount(account, deadline)
    } catch (error) {
      errors.push(error)
    }
  })
  if (errors.length > 0) throw new AggregateError(errors, 'Some accounts were not flushed.')
}
