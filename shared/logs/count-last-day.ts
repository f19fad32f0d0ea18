import * as v from 'valibot'
import { readArchive } from './blocks/archive-view.ts'
import { readCounters, readTraffic, trafficLimits } from './count-traffic.ts'
import { addSums, positionsOfRole, type Sum } from './counters/value-counts.ts'
import { readTrafficQuery } from './traffic-query.ts'

/** Flows that started in the last 24 hours, by the side that reported them (K11.G5). */
export const FlowCount = v.object({ responder: v.number(), initiator: v.number(), exact: v.boolean() })

/** Maximum read units of open flows. */
const openUnits = 12

/**
 * Counts the flows of the default window of `GET /logs/histogram` from counters and open flows, because recent reports can be many. `exact`
 * is false if reports were stored after the last flushed hour, or if there are too many open flows.
 */
export async function countLastDay(account: string, now: number): Promise<v.InferOutput<typeof FlowCount>> {
  const query = readTrafficQuery(new URLSearchParams(), now)
  const view = await readArchive(account)
  const limits = { ...trafficLimits, blocks: openUnits }
  const [open, counted] = await Promise.all([
    readTraffic({ ...view, slots: [] }, query, { now, withFiles: false, limits }),
    readCounters(view, query),
  ])
  const flowsOf = (role: string): number => {
    const [position = 0] = positionsOfRole(role)
    const sums = [...counted, ...open.hours].flatMap(({ columns }) => columns[position] ?? [])
    return Number(sums.reduce<Sum>(addSums, 0))
  }
  return {
    responder: flowsOf('responder'),
    initiator: flowsOf('initiator'),
    exact: view.slots.length === 0 && open.stop === null,
  }
}
