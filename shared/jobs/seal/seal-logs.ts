import { clock } from '../../core/clock.ts'
import { logLine } from '../../core/logging/log.ts'
import { serviceAddress } from '../../core/service-address.ts'
import { inParallel } from '../../core/work/in-parallel.ts'
import { accounts } from '../../domain/accounts/account.ts'
import type { Begun } from '../../seal/log/follows.ts'
import { Overtaken } from '../../seal/log/overtaken.ts'
import { SealDamage } from '../../seal/log/seal-damage.ts'
import { sealedAccountsPartition } from '../../seal/log/sealed-accounts.ts'
import type { SealedLog } from '../../seal/log/sealed-log.ts'
import { Lease, type SealedState } from '../../seal/log/sealed-state.ts'
import { sealActivity, settledUntil } from '../../seal/sealing/seal-activity.ts'
import { sealChanges } from '../../seal/sealing/seal-changes.ts'
import { hasNewest } from '../../seal/sealing/signed-objects.ts'
import type { Head } from '../../table/head.ts'
import { entityKey, headKey, type Key, sealKey } from '../../table/keys.ts'
import { getItems, queryItems } from '../../table/read.ts'
import { remove, writeTogether } from '../../table/write-together.ts'
import { findAccounts } from './find-accounts.ts'

/** Accounts that are sealed side by side. */
const width = 4
const perRead = 50

/** How each log is sealed. */
export const seal: Record<SealedLog, typeof sealChanges> = { changes: sealChanges, activity: sealActivity }

/**
 * Seals what is new in the logs of each account (S2.3). An account whose log does not hold is told in the log of the
 * function by the entry, and keeps no other back.
 * @throws AggregateError of what failed otherwise
 */
export async function sealLogs(deadline: number): Promise<void> {
  const errors: unknown[] = []
  await findAccounts(deadline)
  for (let after: string | undefined, more = true; more && Date.now() < deadline; ) {
    const page = await queryItems(sealedAccountsPartition, { after, limit: perRead })
    await inParallel(await pending(page.map(({ sk }) => sk)), width, (work) =>
      Date.now() > deadline ? Promise.resolve() : sealLog(work, deadline).catch((error) => void errors.push(error)),
    )
    after = page.at(-1)?.sk
    more = page.length === perRead
  }
  if (errors.length > 0) throw new AggregateError(errors, 'Some logs were not sealed.')
}

type State = Partial<Key & SealedState & Begun>

/** A log to be sealed; of one without anything new what the table has of it, to be compared with the bucket. */
type Work = { account: string; log: SealedLog; known?: State }

/**
 * Which logs of these accounts can have something new. Once an hour the changes of an account are looked at where they have
 * not, so that a restore of the table is noticed. What belonged to an account that was deleted is forgotten.
 */
async function pending(ids: string[]): Promise<Work[]> {
  const items = (keys: Key[]) => getItems(keys)
  const [heads, rows, changes, activity] = await Promise.all([
    items(ids.map(headKey)) as Promise<(Partial<Head> | undefined)[]>,
    items(ids.map((id) => entityKey(id, accounts.name, id))),
    items(ids.map((id) => sealKey(id, 'changes'))) as Promise<(State | undefined)[]>,
    items(ids.map((id) => sealKey(id, 'activity'))) as Promise<(State | undefined)[]>,
  ])
  const until = settledUntil(clock.now())
  const gone = ids.filter((_, i) => !heads[i] && !rows[i])
  for (const id of gone) await writeTogether([remove({ pk: sealedAccountsPartition, sk: id })])
  return ids.flatMap((account, i) => {
    if (gone.includes(account)) return []
    const work: Work[] = []
    const known = changes[i] ?? {}
    const isNextHour = (activity[i]?.hour ?? 0) < until
    if ((known.sequence ?? 0) !== (heads[i]?.sequence ?? 0)) work.push({ account, log: 'changes' })
    else if (isNextHour) work.push({ account, log: 'changes', known })
    if (isNextHour) work.push({ account, log: 'activity' })
    return work
  })
}

async function sealLog({ account, log, known }: Work, deadline: number): Promise<void> {
  if (known && (await hasNewest(account, log, known))) return
  const lease = await Lease.take(account, log)
  if (!lease) return
  const before = lease.state?.size ?? 0
  try {
    await seal[log]({ account, log, address: serviceAddress(), lease }, deadline)
    const size = lease.state?.size ?? 0
    if (size > before) logLine('INFO', 'log_sealed', { account_id: account, log, size, leaves: size - before })
  } catch (error) {
    // Whoever has the log now goes on with it.
    if (error instanceof Overtaken) return
    if (!(error instanceof SealDamage)) throw error
    logLine('ERROR', 'seal_stopped', { account_id: account, log, problem: error.problem, log_id: error.at })
  } finally {
    await lease.end()
  }
}
