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
  /** Accounts that were changed meanwhile: their counters are not judged. */
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
  })
}

/**
 * Holds guards, edges, counters and heads against the rows: what a transaction writes together is there together, or a copy
 * of the table was torn (docs/runbooks/restore.md). It walks the whole table, page by page, and writes nothing: what stops is
 * gone on with by `next`.
 * @param event `account_id` where one account alone is to be judged
 */
export async function checkRows(event: unknown, hasTime: () => boolean = () => true): Promise<RowCheck> {
  const pass = begin(event)
  const { progress } = pass
  for await (const { items, next } of walkTable({ from: progress.start, hasTime, ConsistentRead: true })) {
    await pass.page(items)
    progress.start = next
  }
  const isWhole = progress.start === null
  const moved = isWhole ? await pass.end() : []
  const { account_id: asked, begun, rows, heads, findings, truncated } = progress
  if (isWhole && asked !== null && rows + findings.length === 0) await rejectUnknownAccount(asked)
  return {
    begun: timestamp(begun),
    rows,
    accounts: Object.keys(heads).length,
    findings,
    truncated,
    moved,
    next: isWhole ? null : progress,
  }
}
