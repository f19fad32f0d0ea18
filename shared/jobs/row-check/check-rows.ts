import { clock, timestamp } from '../../core/clock.ts'
import { readAccountIdOrAll } from '../../core/event-account.ts'
import { rejectUnknownAccount } from '../../table/reject-unknown-account.ts'
import { walkTable } from '../../table/walk-table.ts'
import { readNext } from '../read-next.ts'
import { maxOpenRows, type Walk, walkCommits, walkOf } from './commit-walk.ts'
import { checkPage, dropClosed, endPages, Progress, report } from './row-pass.ts'

/** Parses the progress of an earlier run, or starts a new one. @throws ApiError `bad_request` for an invalid `account_id` or `next` */
function begin(event: unknown): Progress {
  const account_id = readAccountIdOrAll(event)
  const counts = { rows: 0, partition: null, versions: {}, found: {}, moved: [] }
  const initial = { account_id, start: null, begun: clock.now(), ...counts, findings: [], truncated: false, walk: null }
  return readNext(Progress, event) ?? initial
}

/** Scans the table while time remains. @returns whether the end of the table was reached */
async function walkPages(progress: Progress, hasTime: () => boolean): Promise<boolean> {
  for await (const { items, next } of walkTable({ from: progress.start, hasTime, ConsistentRead: true })) {
    await checkPage(progress, items)
    progress.start = next
  }
  if (progress.start !== null) return false
  await endPages(progress)
  progress.walk = nextWalk(progress, '')
  return true
}

/** Returns a new walk over the commits of the next account; null after the last account. */
function nextWalk({ versions, found }: Progress, account: string): Walk | null {
  const next = [...Object.keys(versions), ...Object.keys(found)].sort().find((candidate) => candidate > account)
  return next === undefined ? null : walkOf(next)
}

/** Compares rows with the commits of all accounts, one account at a time. @returns whether all commits were read */
async function walkAccounts(progress: Progress, hasTime: () => boolean, maxOpen: number): Promise<boolean> {
  for (let { walk } = progress; walk !== null; walk = progress.walk) {
    const isDone = await walkCommits({ walk, report: (finding) => report(progress, finding), maxOpen }, hasTime)
    await dropClosed(progress)
    if (!isDone) return false
    progress.walk = nextWalk(progress, walk.account)
    if (!hasTime()) break
  }
  return progress.walk === null
}

/**
 * Checks unique items, index items, counters and account versions against the rows. Differences indicate an inconsistent copy
 * (docs/runbooks/restore.md). Then compares the rows with the commits. Differences indicate changes made outside the service. Read-only.
 * @param event `account_id` limits the check to one account; `next` resumes an earlier run
 * @param maxOpen maximum number of differing rows in memory; tests lower it
 */
export async function checkRows(event: unknown, hasTime: () => boolean = () => true, maxOpen = maxOpenRows) {
  const progress = begin(event)
  const isWhole = progress.walk !== null || (await walkPages(progress, hasTime))
  const isDone = isWhole && (await walkAccounts(progress, hasTime, maxOpen))
  const { account_id: requestedAccount, begun, rows, versions, findings, truncated, moved } = progress
  if (isDone && requestedAccount !== null && rows + findings.length === 0) await rejectUnknownAccount(requestedAccount)
  return {
    begun: timestamp(begun),
    rows,
    accounts: Object.keys(versions).length,
    findings,
    /** True if `findings` is incomplete. */
    truncated,
    /** Accounts that changed during the check. Their rows were checked, but not their counters. */
    moved,
    /** Progress from which the next run resumes. Null once the whole table and all commits have been read. */
    next: isDone ? null : progress,
  }
}

export type RowCheck = Awaited<ReturnType<typeof checkRows>>
