import { bloomFilter } from './bloom-filter.ts'

/** Exact sum. A bigint only if it exceeds the integers of a number. */
export type Sum = number | bigint

export const toSum = (value: Sum): Sum => (value <= Number.MAX_SAFE_INTEGER ? Number(value) : value)

export function addSums(a: Sum, b: Sum): Sum {
  const sum = typeof a === 'number' && typeof b === 'number' ? a + b : Number.NaN
  return sum <= Number.MAX_SAFE_INTEGER ? sum : BigInt(a) + BigInt(b)
}

/** Flows, received and sent bytes of initiators, then of responders. */
export const sumCount = 6
const noSums = (): Sum[] => new Array<Sum>(sumCount).fill(0)

/** Positions of the sums of a role; those of both roles without a role. */
export const positionsOfRole = (role: string | null): number[] =>
  role === null ? [0, 3] : [role === 'initiator' ? 0 : 3]

/**
 * Counters of the flows that started in an hour (R9). `columns` has one list per sum, with an entry per value. `rest` contains the sums of
 * all other values, and Bloom filters of which one contains each of them. With `isMixed`, `values` can be among them too.
 */
export type HourCounts = {
  hour: number
  values: string[]
  columns: Sum[][]
  rest: { sums: Sum[]; filters: Uint8Array[]; isMixed: boolean } | null
}

/** Maximum number of values of an hour that have counters of their own (R9.4). */
export const countLimits = { values: 1_000 }

/** Sums per value, which are collected from flows or from counters of the same hour. */
export class ValueCounts {
  private readonly sums = new Map<string, Sum[]>()

  get size(): number {
    return this.sums.size
  }

  /** Adds sums of a value, of which the first has the given position. */
  add(value: string, position: number, ...added: Sum[]): void {
    let sums = this.sums.get(value)
    if (!sums) {
      sums = noSums()
      this.sums.set(value, sums)
    }
    for (let i = 0; i < added.length; i++) sums[position + i] = addSums(sums[position + i] as Sum, added[i] as Sum)
  }

  /** Returns the counters with at most `limit` values, those with the most flows. */
  toHour(hour: number, limit = Number.POSITIVE_INFINITY): HourCounts {
    let entries = [...this.sums]
    let rest: HourCounts['rest'] = null
    if (entries.length > limit) {
      const flows = ([, sums]: [string, Sum[]]) => Number(sums[0]) + Number(sums[3])
      entries.sort((a, b) => flows(b) - flows(a) || (a[0] < b[0] ? -1 : 1))
      const others = entries.slice(limit)
      entries = entries.slice(0, limit)
      const sums = noSums().map((_, i) => others.reduce<Sum>((sum, [, own]) => addSums(sum, own[i] as Sum), 0))
      rest = { sums, filters: [bloomFilter(others.map(([value]) => value))], isMixed: false }
    }
    entries.sort(([a], [b]) => (a < b ? -1 : 1))
    const columns = noSums().map((_, i) => entries.map(([, sums]) => sums[i] as Sum))
    return { hour, values: entries.map(([value]) => value), columns, rest }
  }
}

/** Merges the counters of each hour, and keeps the values with the most flows. */
export function mergeCounts(all: HourCounts[], limit = countLimits.values): HourCounts[] {
  return [...Map.groupBy(all, ({ hour }) => hour)].map(([hour, same]) => {
    const counts = new ValueCounts()
    for (const { values, columns } of same)
      for (const [i, value] of values.entries()) counts.add(value, 0, ...columns.map((column) => column[i] as Sum))
    const merged = counts.toHour(hour, limit)
    const rests = [merged, ...same].flatMap(({ rest }) => rest ?? [])
    if (rests.length === 0) return merged
    const sums = noSums().map((_, i) => rests.reduce<Sum>((sum, rest) => addSums(sum, rest.sums[i] as Sum), 0))
    return { ...merged, rest: { sums, filters: rests.flatMap(({ filters }) => filters), isMixed: true } }
  })
}
