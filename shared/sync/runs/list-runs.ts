import { takeFitting } from '../../core/json/response-size.ts'
import type { Item } from '../../table/keys.ts'
import { type Metadata, pageOfRows } from '../../table/list.ts'
import { pageCursor, readPosition } from '../../table/page-cursor.ts'
import { queryItems } from '../../table/read.ts'
import type { Page } from '../../values/page.ts'
import { PlanReader } from './plan.ts'
import { mergedSkips, type PlanDescribers, type Run, type RunChange } from './run.ts'
import { getRun, isRetained, type OpenRun, readOpenRun, runsPartition, toRun } from './run-store.ts'

/** Lists the changes in a run's plan in the order of application (I4.1(5)). Each page fits in one response. */
export async function listChanges(run: Run, describers: PlanDescribers, page: Page) {
  const plan = new PlanReader(run)
  let total = 0
  const sections = Object.entries(describers).map(([name, changeOf], section) => {
    const first = total
    total += run.sections[name] ?? 0
    return { changeOf, section, first, end: total }
  })
  async function* changesFrom(from: number, step: 1 | -1): AsyncGenerator<RunChange> {
    for (let at = from; ; at += step) {
      const found = sections.find(({ first, end }) => at >= first && at < end)
      if (!found) return
      const [entry] = await plan.read<unknown>(found.section, at - found.first, 1)
      yield found.changeOf(entry)
    }
  }
  const { at: start = 0, backward } = await readPosition(page)
  const at = Number(start)
  const { items } = await takeFitting(backward ? changesFrom(at - 1, -1) : changesFrom(at, 1), { limit: page.limit })
  const [from, to] = backward ? [at - items.length, at] : [at, at + items.length]
  const cursor = (index: number, backward: boolean) => pageCursor(page, { at: String(index), backward })
  const metadata: Metadata = {
    limit: page.limit,
    next_page: to < total ? await cursor(to, false) : null,
    prev_page: from > 0 ? await cursor(from, true) : null,
    total,
    count: total,
  }
  return { data: backward ? items.toReversed() : items, metadata }
}

/**
 * Lists the runs of a source, newest first (I4.1(4)). Reads all runs, because the schedule begins only twelve per day and runs expire after
 * 30 days.
 */
export async function listRuns(account: string, sourceId: string, page: Page) {
  const [items, open] = await Promise.all([
    queryItems<Item & Run>(runsPartition(account, sourceId), { backward: true }),
    readOpenRun(account, sourceId),
  ])
  const shownRun = (run: Run) => ({
    ...withProgress(run, open),
    inserted_at: run.started_at,
    updated_at: run.started_at,
  })
  const runs = items.filter(isRetained).map((item) => ({ id: item.id, row: () => shownRun(toRun(item)) }))
  const { rows, metadata } = await pageOfRows(runs, page, { newestFirst: true })
  return { data: rows, metadata }
}

/** Adds the progress of a run that is still open. */
function withProgress(run: Run, open: OpenRun | undefined): Run {
  const isOpen = run.finished_at === null && open?.run_id === run.id
  return isOpen ? { ...run, ...mergedSkips(run, open), applied: open.applied } : run
}

/** Reads one run of a source (K11.G12). @throws ApiError 404 */
export async function getShownRun(account: string, sourceId: string, id: string): Promise<Run> {
  const run = await getRun(account, sourceId, id)
  return run.finished_at === null ? withProgress(run, await readOpenRun(account, sourceId)) : run
}
