import { askedAccountOrAll } from '../../core/asked-account.ts'
import { clock, timestamp } from '../../core/clock.ts'
import { rejectUnknownAccount } from '../../table/reject-unknown-account.ts'
import { walkTable } from '../../table/walk-table.ts'
import { readNext } from '../read-next.ts'
import type { RowFinding } from './row-finding.ts'
import { Progress, RowPass } from './row-pass.ts'

export type RowCheck = {
  begun: string
  rows: number
  accounts: number
  findings: RowFinding[]
  /** There are more findings than those listed. */
  truncated: boolean
  /** Accounts that were changed meanwhile: their counters are not judged, their rows are. */
  moved: string[]
  /** What goes on where this run stopped; null when the whole table has been seen. */
  next: Progress | null
}

/** @throws ApiError `bad_request` for an event that names no account, or a `next` that is none */
function begin(event: unknown): RowPass {
  const account = askedAccountOrAll(event)
  const next = readNext(Progress, event)
  if (next) return new RowPass(next)
  return new RowPass({
    account_id: account,
    start: null,
    begun: clock.now(),
    rows: 0,
    partition: null,
    heads: {},
    found: {},
    findings: [],
    truncated: false,
    moved: [],
    walk: null,
  })
}

/** @returns whether the end of the table was reached */
async function walkPages(pass: RowPass, hasTime: () => boolean): Promise<boolean> {
  const { progress } = pass
  for await (const { items, next } of walkTable({ from: progress.start, hasTime, ConsistentRead: true })) {
    await pass.page(items)
    progress.start = next
  }
  if (progress.start !== null) return false
  await pass.end()
  return true
}

/**
 * Compares guards, edges, counters and heads with the rows: what a transaction writes together is there together, or a copy
 * of the table was torn (docs/runbooks/restore.md). Then compares the rows with the commits: each is as the last commit that
 * wrote it left it, or somebody has changed it without one. It walks the whole table, page by page, then the commits of each
 * account, and writes nothing. `next` resumes a run that stopped.
 * @param event `account_id` where one account alone is to be judged
 * @param maxOpen bounds the memory of the walk over commits; tests shorten it
 */
export async function checkRows(
  event: unknown,
  hasTime: () => boolean = () => true,
  maxOpen?: number,
): Promise<RowCheck> {
  const pass = begin(event)
  const { progress } = pass
  const isWhole = progress.walk !== null || (await walkPages(pass, hasTime))
  const isDone = isWhole && (await pass.walkCommits(hasTime, maxOpen))
  const { account_id: asked, begun, rows, heads, findings, truncated, moved } = progress
  if (isDone && asked !== null && rows + findings.length === 0) await rejectUnknownAccount(asked)
  return {
    begun: timestamp(begun),
    rows,
    accounts: Object.keys(heads).length,
    findings,
    truncated,
    moved,
    next: isDone ? null : progress,
  }
}
