import type { Item } from '../../table/keys.ts'
import { pageOf } from '../../table/list.ts'
import { queryItems } from '../../table/read.ts'
import type { Page } from '../../values/page.ts'
import { noteSkipped, type Run } from './run.ts'
import { isKept, type OpenRun, runsPartition } from './run-items.ts'
import { readOpen, runOf } from './run-store.ts'

/** A run that is under way with what its commits have noted so far. */
function withProgress(run: Run, open: OpenRun | undefined): Run {
  if (run.finished_at !== null || open?.run_id !== run.id) return run
  const shown = structuredClone(run)
  for (const [reason, count] of Object.entries(open.skipped)) {
    shown.skipped[reason] = (shown.skipped[reason] ?? 0) + count
  }
  for (const one of open.skipped_sample) noteSkipped({ skipped: {}, skipped_sample: shown.skipped_sample }, one)
  return { ...shown, applied: open.applied }
}

/** The runs of a source, newest first (I4.1(4)). They are a few hundred at most: twelve a day, for 30 days. */
export async function listRuns(account: string, sourceId: string, page: Page) {
  const [items, open] = await Promise.all([
    queryItems<Item & Run>(runsPartition(account, sourceId), { backward: true }),
    readOpen(account, sourceId),
  ])
  const runs = items.filter(isKept).map((item) => ({
    id: item.id,
    row: () => ({ ...withProgress(runOf(item), open), inserted_at: item.started_at, updated_at: item.started_at }),
  }))
  const { rows, metadata } = await pageOf(runs, page, { newestFirst: true })
  return { data: rows, metadata }
}
