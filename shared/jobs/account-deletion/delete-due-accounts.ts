import { isDue } from '../../commit/due.ts'
import { clock, timestamp } from '../../core/clock.ts'
import { queryItems } from '../../table/read.ts'
import { put, remove, writeTogether } from '../../table/write-together.ts'
import { closeAccount } from './close-account.ts'
import { deleteItems } from './delete-items.ts'
import { type DueAccount, dueAccountItem, dueAccountsPartition } from './due-account.ts'

/**
 * The streams keep what they carry for 24 hours: what was on its way to an account when it was closed has arrived by
 * then, and goes with a second pass.
 */
const secondPassMicros = 25 * 3_600_000_000

/**
 * Deletes the accounts whose time has come, with everything they have (A31, A32): first all of the accounts themselves,
 * then what they had, as far as time allows. The next run goes on where this one stops, wherever that was.
 * @throws AggregateError of what failed; it does not hold up the rest
 */
export async function deleteDueAccounts(deadline: number): Promise<void> {
  const nowText = timestamp(clock.now())
  const all = (await queryItems(dueAccountsPartition)) as DueAccount[]
  const closed: DueAccount[] = []
  const errors: unknown[] = []
  const tryTo = (step: Promise<void>) => step.catch((error) => void errors.push(error))
  for (const due of all.filter((item) => isDue(item, nowText))) {
    await tryTo(
      closeAccount(due.account_id, nowText).then(async (state) => {
        if (state === 'closed') closed.push(due)
        if (state === 'called off') await writeTogether([remove(due)])
      }),
    )
  }
  for (const due of closed) {
    if (Date.now() < deadline) await tryTo(pass(due, all, deadline))
  }
  if (errors.length > 0) throw new AggregateError(errors, 'Some accounts were not deleted.')
}

/** A part of a pass over the table, and the end of the pass if it gets there. */
async function pass(due: DueAccount, all: DueAccount[], deadline: number): Promise<void> {
  if (!(await deleteItems(due, deadline))) return
  const others = all.filter(({ account_id }) => account_id === due.account_id)
  const second = dueAccountItem(due.account_id, timestamp(clock.now() + secondPassMicros), true)
  await writeTogether([...others.map(remove), ...(due.last ? [] : [put(second)])])
}
