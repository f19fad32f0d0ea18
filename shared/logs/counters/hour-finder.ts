import { dayMicros, dayStart, hourMicros, hourStart } from '../../core/clock.ts'
import type { ArchiveView } from '../blocks/archive-view.ts'
import { type IdRange, instantOf } from '../entries/log-id.ts'
import { queryWithin, type ReadBudget } from '../flows/read-budget.ts'
import { type CountKind, isLateStart, mergedUntil, readHourCounts } from './count-items.ts'
import type { Dimension } from './dimensions.ts'
import { type FlowCondition, mayBeInRest } from './flow-conditions.ts'
import type { HourCounts } from './value-counts.ts'

const mayMatch = (counts: HourCounts, condition: FlowCondition): boolean =>
  counts.values.some(condition.includes) || mayBeInRest(counts, condition)

/** Finds the hours in which matching flows started, from the counters of flushed hours (R8.4). Reads counters of one day at a time. */
export class HourFinder {
  private readonly view: ArchiveView
  private readonly conditions: readonly FlowCondition[]
  private readonly budget?: ReadBudget
  private readonly hours = new Map<string, Promise<Map<number, boolean> | null>>()

  constructor(view: ArchiveView, conditions: readonly FlowCondition[], budget?: ReadBudget) {
    this.view = view
    // Conditions without a list of values match in almost every hour.
    this.conditions = conditions.filter(({ values }) => values !== null)
    this.budget = budget
  }

  /**
   * True if a flow in the range can match that was flushed in `flushedHour`. Never false for an hour with a matching flow, also without its counters. Null if the
   * budget is exhausted.
   */
  async mayMatch(flushedHour: number, { first, last }: IdRange): Promise<boolean | null> {
    for (let hour = hourStart(instantOf(first)); hour <= instantOf(last); hour += hourMicros) {
      const found = await this.hourMayMatch(hour, flushedHour)
      if (found !== false) return found
    }
    return false
  }

  private async hourMayMatch(hour: number, flushedHour: number): Promise<boolean | null> {
    for (const condition of this.conditions) {
      let found = false
      for (const dimension of condition.dimensions) {
        const hours = await this.matchingHours(condition, dimension, hour, flushedHour)
        if (hours === null) return null
        found ||= hours.get(hour) ?? true
      }
      if (!found) return false
    }
    return true
  }

  /** Reads the counters that contain an hour. Returns whether each counted hour may match. An hour without counters is absent. */
  private async matchingHours(condition: FlowCondition, dimension: Dimension, hour: number, flushedHour: number) {
    const { view, budget } = this
    const kind: CountKind = isLateStart(hour, flushedHour) ? 'late' : 'usual'
    const wanted = kind === 'late' ? flushedHour : hour
    const isMerged = wanted < mergedUntil(view.watermark)
    const begin = isMerged ? dayStart(wanted) : wanted
    const range = [begin, begin + (isMerged ? dayMicros : hourMicros)] as const
    const name = `${this.conditions.indexOf(condition)} ${dimension} ${kind} ${begin}`
    const hours =
      this.hours.get(name) ??
      queryWithin(budget, view.relaxed, async (onRead) => {
        const groups = await readHourCounts(view, dimension, kind, range, onRead)
        const found = new Map<number, boolean>()
        for (const counts of groups.flatMap((group) => group.hours))
          found.set(counts.hour, found.get(counts.hour) || mayMatch(counts, condition))
        return found
      })
    this.hours.set(name, hours)
    const found = await hours
    // Reads again after the budget is extended.
    if (found === null) this.hours.delete(name)
    return found
  }
}
