import { dayMicros, hourMicros } from '#shared/core/clock.ts'
import { mergeDay, putHourCounts } from '#shared/logs/counters/count-items.ts'
import type { Dimension } from '#shared/logs/counters/dimensions.ts'
import { countLimits, type HourCounts, ValueCounts } from '#shared/logs/counters/value-counts.ts'
import { putArchiveState } from '../logs/archive.ts'

/**
 * Counters to store. Every hour has flows of all `values` of the dimension. `added` contains further values with one flow, by the hour of
 * the flow.
 */
export type PlannedCounts = {
  dimension: Dimension
  values: string[]
  begin: number
  days: number
  added?: ReadonlyMap<number, string>
}

const flowsPerHour = 30_000_000 / 30 / 24

/** Age in hours of flows when they are closed, and their part of all flows. One of twenty is closed in a later hour, and one of 200 is late. */
const ages = [
  [7, 0.0025],
  [2, 0.0025],
  [1, 0.05],
  [0, 0.945],
] as const

/** Returns numbers from 0 to 1, the same in every run. */
function randomNumbers() {
  let state = 42
  return (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Stores the counters of an account with 30,000,000 flows in 30 days, as the flush does. */
export async function plantCounts(account: string, { dimension, values, begin, days, added }: PlannedCounts) {
  const names = [dimension, 'total'] as const
  const random = randomNumbers()
  const share = (count: number, one?: string) => {
    const counts = names.map((name) => [name, new ValueCounts()] as const)
    const add = (value: string, position: number, flows: number) => {
      const bytes = [1, 2].map(() => Math.floor(flows * 20_000 * (0.3 + random())))
      for (const [name, ofName] of counts) ofName.add(name === 'total' ? '' : value, position, flows, ...bytes)
    }
    for (const position of [0, 3])
      for (const value of values) {
        const flows = Math.floor((count * (0.5 + random())) / (2 * values.length) + random())
        if (flows > 0) add(value, position, flows)
      }
    if (one !== undefined) add(one, 0, 1)
    return counts
  }
  // All days have the same counters, because generating others takes long. No item contains those of two days.
  const usual = Array.from({ length: 24 }, () => ages.map(([, part]) => share(flowsPerHour * part)))
  for (let hour = begin; hour < begin + days * dayMicros; hour += hourMicros) {
    const shares = ages.map(([age, part], i) => {
      const one = age === 0 ? added?.get(hour) : undefined
      const ofDay = usual[(hour / hourMicros) % 24]?.[i]
      const counts = one === undefined && ofDay ? ofDay : share(flowsPerHour * part, one)
      return counts.map(([, ofName]) => ofName.toHour(hour - age * hourMicros, countLimits.values))
    })
    const counted = names.map((name, i) => [name, shares.map((ofAge) => ofAge[i] as HourCounts)] as const)
    await putHourCounts(account, hour, counted)
    if (hour % dayMicros === 0) await mergeDay(account, hour - dayMicros)
  }
  await putArchiveState(account, begin + days * dayMicros)
}
