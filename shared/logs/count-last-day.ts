import * as v from 'valibot'
import { dayMicros, hourMicros, hourStart } from '../core/clock.ts'
import { type ArchiveView, readArchive } from './blocks/archive-view.ts'
import { OpenSetSource } from './blocks/open-set.ts'
import { columnsOf } from './counters/dimensions.ts'
import { addSums, positionsOfRole, type Sum } from './counters/value-counts.ts'
import { type IdRange, idsBetween } from './entries/log-id.ts'
import { mergeFlows } from './flows/merge-flows.ts'
import { ReadBudget } from './flows/read-budget.ts'
import { readCounters } from './read-counters.ts'

/** Flows that started in the last 24 hours, by the side that reported them (K11.G5). */
export const FlowCount = v.object({ responder: v.number(), initiator: v.number(), exact: v.boolean() })
type FlowCount = v.InferOutput<typeof FlowCount>

/** Maximum read units of open flows. */
const openUnits = 12

/** Counts the flows that were open after the last flush, the newest first. */
async function countOpen(view: ArchiveView, range: IdRange): Promise<FlowCount> {
  const budget = new ReadBudget({ blocks: openUnits })
  const source = new OpenSetSource(view, { range, ascending: false, budget })
  const counted = { responder: 0, initiator: 0 }
  for await (const flow of mergeFlows([source], false, { budget }))
    counted[columnsOf(flow).role === 'initiator' ? 'initiator' : 'responder']++
  return { ...counted, exact: budget.end === null }
}

/**
 * Counts the flows of the default window of `GET /logs/histogram` from counters and open flows, because recent reports can be many. `exact`
 * is false if reports were stored after the last flushed hour, or if there are too many open flows.
 */
export async function countLastDay(account: string, now: number): Promise<FlowCount> {
  const end = hourStart(now) + hourMicros
  const begin = end - dayMicros
  const view = await readArchive(account)
  const range = idsBetween('flow', begin, end - 1)
  const [open, hours] = await Promise.all([
    range && view.watermark > 0 ? countOpen(view, range) : { responder: 0, initiator: 0, exact: true },
    readCounters(view, { begin, end, by: null, role: null, conditions: [], open: null }),
  ])
  const countOf = (role: 'responder' | 'initiator'): number => {
    const [position = 0] = positionsOfRole(role)
    const sums = hours.flatMap(({ columns }) => columns[position] ?? [])
    return Number(sums.reduce<Sum>(addSums, open[role]))
  }
  return {
    responder: countOf('responder'),
    initiator: countOf('initiator'),
    exact: view.slots.length === 0 && open.exact,
  }
}
