import type { Metadata } from '../../table/list.ts'
import { pageCursor, readPosition } from '../../table/page-cursor.ts'
import type { Page } from '../../values/page.ts'
import { PlanReader } from './plan-store.ts'
import type { Run, RunChange } from './run.ts'
import type { SourceKind } from './sync-source.ts'

/** The sections of a run's plan with the number, in the whole plan, of the first entry of each. */
function sectionsOf(run: Run, { sections }: Pick<SourceKind, 'sections'>) {
  let first = 0
  return sections.map(({ name }, section) => {
    const count = run.sections[name] ?? 0
    first += count
    return { name, section, first: first - count, count }
  })
}

/** The plan of a run, a page at a time, in the order in which it is applied (I4.1(5)). */
export async function listChanges(run: Run, kind: Pick<SourceKind, 'sections' | 'changeOf'>, page: Page) {
  const sections = sectionsOf(run, kind)
  const total = sections.reduce((sum, { count }) => sum + count, 0)
  const position = await readPosition(page)
  const at = Number(position?.at ?? 0)
  const from = position?.backward ? Math.max(0, at - page.limit) : at
  const to = Math.min(position?.backward ? at : from + page.limit, total)
  const plan = new PlanReader(run.account_id, run.id)
  const data: RunChange[] = []
  for (const { name, section, first, count } of sections) {
    for (let next = Math.max(from, first); next < Math.min(to, first + count); ) {
      const entries = await plan.read<unknown>(section, next - first, to - next)
      data.push(...entries.map((entry) => kind.changeOf(name, entry)))
      next += entries.length
    }
  }
  const cursor = (place: number, backward: boolean) => pageCursor(page, { at: String(place), backward })
  const metadata: Metadata = {
    limit: page.limit,
    next_page: to < total ? await cursor(to, false) : null,
    prev_page: from > 0 ? await cursor(from, true) : null,
    total,
    count: total,
  }
  return { data, metadata }
}
