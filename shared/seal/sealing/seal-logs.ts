import { clock } from '../../core/clock.ts'
import { logLine } from '../../core/logging/log.ts'
import { serviceAddress } from '../../core/service-address.ts'
import { inParallel } from '../../core/work/in-parallel.ts'
import { accounts } from '../../domain/accounts/account.ts'
import { type ArchiveState, archiveStateKey } from '../../logs/blocks/archive-view.ts'
import type { AccountVersion } from '../../table/account-version.ts'
import { accountVersionKey, entityKey, type Key, sealKey } from '../../table/keys.ts'
import { getItems, queryItems } from '../../table/read.ts'
import { remove, writeTogether } from '../../table/write-together.ts'
import { SealConflict, SealDamage } from '../log/seal-damage.ts'
import type { SealedLog } from '../log/sealed-log.ts'
import { sealedAccountsPartition } from '../log/sealed-log.ts'
import type { LogStart } from '../notes/checkpoint.ts'
import { sealActivity, settledUntil } from './seal-activity.ts'
import { sealArchive } from './seal-archive.ts'
import { sealChanges } from './seal-changes.ts'
import { Lease, type SealedState } from './sealed-state.ts'
import { hasNewest } from './signed-objects.ts'

const concurrency = 4
const pageSize = 50

export const sealers: Record<SealedLog, typeof sealChanges> = {
  changes: sealChanges,
  activity: sealActivity,
  archive: sealArchive,
}

/**
 * Seals new entries in the logs of all accounts until the deadline (S2.3). A damaged log is reported as `seal_stopped` and does not delay
 * other logs.
 * @throws AggregateError with all other failures
 */
export async function sealLogs(deadline: number): Promise<void> {
  const errors: unknown[] = []
  for (let after: string | undefined, more = true; more && clock.monotonic() < deadline; ) {
    const page = await queryItems(sealedAccountsPartition, { after, limit: pageSize })
    await inParallel(await findWork(page.map(({ sk }) => sk)), concurrency, (work) =>
      clock.monotonic() > deadline
        ? Promise.resolve()
        : sealLog(work, deadline).catch((error) => void errors.push(error)),
    )
    after = page.at(-1)?.sk
    more = page.length === pageSize
  }
  if (errors.length > 0) throw new AggregateError(errors, 'Some logs were not sealed.')
}

type State = Key & Partial<SealedState & LogStart>

/** Log to seal. A log with `unchangedState` has no new entries and is only compared with the bucket. */
type Work = { account: string; log: SealedLog; unchangedState?: Partial<State> }

/**
 * Finds the logs that may have new entries. Once an hour, adds all change logs, to detect a restore of the table. Removes deleted accounts
 * from the partition of sealed accounts.
 */
async function findWork(ids: string[]): Promise<Work[]> {
  const [versions, rows, changes, activity, archive, archives] = await Promise.all([
    getItems<Key & Partial<AccountVersion>>(ids.map(accountVersionKey)),
    getItems(ids.map((id) => entityKey(id, accounts.name, id))),
    getItems<State>(ids.map((id) => sealKey(id, 'changes'))),
    getItems<State>(ids.map((id) => sealKey(id, 'activity'))),
    getItems<State>(ids.map((id) => sealKey(id, 'archive'))),
    getItems<Key & Partial<ArchiveState>>(ids.map(archiveStateKey)),
  ])
  const until = settledUntil(clock.now())
  const deleted = ids.filter((_, i) => !versions[i] && !rows[i])
  for (const id of deleted) await writeTogether([remove({ pk: sealedAccountsPartition, sk: id })])
  return ids.flatMap((account, i) => {
    if (deleted.includes(account)) return []
    const work: Work[] = []
    const unchangedState: Partial<State> = changes[i] ?? {}
    const isNextHour = (activity[i]?.hour ?? 0) < until
    if ((unchangedState.sequence ?? 0) !== (versions[i]?.sequence ?? 0)) work.push({ account, log: 'changes' })
    else if (isNextHour) work.push({ account, log: 'changes', unchangedState })
    if (isNextHour) work.push({ account, log: 'activity' })
    if ((archive[i]?.size ?? 0) !== (archives[i]?.manifests ?? 0)) work.push({ account, log: 'archive' })
    return work
  })
}

async function sealLog({ account, log, unchangedState }: Work, deadline: number): Promise<void> {
  if (unchangedState && (await hasNewest(account, log, unchangedState))) return
  const lease = await Lease.take(account, log)
  if (!lease) return
  const before = lease.state?.size ?? 0
  try {
    await sealers[log]({ account, log, address: serviceAddress(), lease }, deadline)
    const size = lease.state?.size ?? 0
    if (size > before) logLine('INFO', 'log_sealed', { account_id: account, log, size, leaves: size - before })
  } catch (error) {
    // The concurrent run is sealing the log, so this run ends without an error.
    if (error instanceof SealConflict) return
    if (!(error instanceof SealDamage)) throw error
    logLine('ERROR', 'seal_stopped', { account_id: account, log, problem: error.problem, log_id: error.at })
  } finally {
    await lease.end()
  }
}
