import { dayMicros, hourStart } from '../core/clock.ts'
import type { Erasures } from '../logs/blocks/erasures.ts'
import { mergeDay, putHourCounts } from '../logs/counters/count-items.ts'
import { countedColumns, countedDimensions, dimensionColumns, flowValue } from '../logs/counters/dimensions.ts'
import { countLimits, type Sum, toSum, ValueCounts } from '../logs/counters/value-counts.ts'
import type { FileRow } from '../logs/files/columns.ts'
import type { DueHour } from './due-hour.ts'

/** Columns of a file from which its flows are counted. */
export const countedRowColumns = [...countedColumns, ...countedDimensions.flatMap((name) => dimensionColumns[name])]

/** Counters of the flows in the files of one hour (R9.1). Receives each row of the files once. Erased actors count as one empty value. */
export class HourCounters {
  private readonly account: string
  private readonly hour: number
  private readonly erasures: Erasures
  /** Counters by dimension and by the hour in which flows started. */
  private readonly counts = new Map(
    countedDimensions.map((dimension) => [dimension, new Map<number, ValueCounts>()] as const),
  )

  constructor({ account, hour, erasures }: Pick<DueHour, 'account' | 'hour' | 'erasures'>) {
    this.account = account
    this.hour = hour
    this.erasures = erasures
  }

  add(rows: readonly FileRow[]): void {
    for (const row of rows) {
      // Skips flows without an end, which queries do not return, because their retention has ended.
      if (row.flow_end === null) continue
      const hour = hourStart(Number(row.flow_start))
      const position = row.role === 'initiator' ? 0 : 3
      const [rx, tx] = [toSum(row.rx_bytes as Sum), toSum(row.tx_bytes as Sum)]
      for (const [dimension, hours] of this.counts) {
        const counts = hours.get(hour) ?? new ValueCounts()
        if (counts.size === 0) hours.set(hour, counts)
        const value = flowValue(row, dimension)
        counts.add(dimension === 'actor' && this.erasures.has(value) ? '' : value, position, 1, rx, tx)
      }
    }
  }

  /**
   * Stores the counters, or with `isAdopted` those that are not stored yet, because files do not contain what erased rows counted. The first
   * hour of a day also merges the counters of the day before (R9.3). Idempotent.
   */
  async finish(isAdopted = false): Promise<void> {
    const counts = [...this.counts].map(([dimension, hours]) => {
      const ascending = [...hours].sort(([a], [b]) => a - b)
      return [dimension, ascending.map(([hour, values]) => values.toHour(hour, countLimits.values))] as const
    })
    await putHourCounts(this.account, this.hour, counts, isAdopted)
    if (this.hour % dayMicros === 0) await mergeDay(this.account, this.hour - dayMicros)
  }
}
