import { takeFitting } from '../../core/json/answer-size.ts'
import type { Metadata } from '../../table/list.ts'
import { pageCursor, readPosition } from '../../table/page-cursor.ts'
import type { Page } from '../../values/page.ts'
import { PlanReader } from '../plans/plan-store.ts'
import type { Run, RunChange } from '../runs/run.ts'
import type { SourceKind } from './sync-source.ts'

type PlanKind = Pick<SourceKind, 'sections' | 'changeOf'>

/** A section of a run's plan with the number, in the whole plan, of its first entry. */
type Part = { name: string; section: number; first: number; count: number }

function partsOf(run: Run, { sections }: PlanKind): Part[] {
  let first = 0
  return sections.map(({ name }, section) => {
    const count = run.sections[name] ?? 0
    first += count
    return { name, section, first: first - count, count }
  })
}

/** The entries of a plan from a number on, forth or back, as they are told. */
async function* told(run: Run, kind: PlanKind, parts: Part[], from: number, step: 1 | -1): AsyncGenerator<RunChange> {
  const plan = new PlanReader(run.account_id, run.id)
  for (let at = from; ; at += step) {
    const part = parts.find(({ first, count }) => at >= first && at < first + count)
    if (!part) return
    const [entry] = await plan.read<unknown>(part.section, at - part.first, 1)
    yield kind.changeOf(part.name, entry)
  }
}

/** The plan of a run, in the order in which it is applied, in pages that fit an answer (I4.1(5)). */
export async function listChanges(run: Run, kind: PlanKind, page: Page) {
  const parts = partsOf(run, kind)
  const total = parts.reduce((sum, { count }) => sum + count, 0)
  const position = await readPosition(page)
  const backward = position?.backward ?? false
  const at = Number(position?.at ?? 0)
  const source = told(run, kind, parts, backward ? at - 1 : at, backward ? -1 : 1)
  const { kept } = await takeFitting(source, { limit: page.limit })
  const [from, to] = backward ? [at - kept.length, at] : [at, at + kept.length]
  const cursor = (place: number, backward: boolean) => pageCursor(page, { at: String(place), backward })
  const metadata: Metadata = {
    limit: page.limit,
    next_page: to < total ? await cursor(to, false) : null,
    prev_page: from > 0 ? await cursor(from, true) : null,
    total,
    count: total,
  }
  return { data: backward ? kept.toReversed() : kept, metadata }
}
