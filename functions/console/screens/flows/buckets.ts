import { hour, type Window } from '../../logs/window.ts'

type Totals = { flows: number; rx_bytes: bigint; tx_bytes: bigint }
export type HourCounts = Totals & { hour: string; open: number; by: Array<Totals & { value: string | null }> }
export type Order = 'flows' | 'bytes'

/** Name of the amounts at an index of the columns, and the class with their colour. */
export type Series = { name: string; color: string }

/** Column of the plot: an interval and the amounts of its values, the last of which are the others. Exact to 64 bits and more. */
export type Bucket = { begin: number; end: number; total: bigint; amounts: bigint[] }

/** Maximum number of columns. Longer windows have columns of several hours. */
const maxColumns = 100
const widths = [1, 3, 6, 12, 24]

export const amountOf = (totals: Totals, order: Order): bigint =>
  order === 'flows' ? BigInt(totals.flows) : totals.rx_bytes + totals.tx_bytes

/** Sums the hours of a histogram to at most 100 columns. `values` are those of the dimension in their order in the columns. */
export function bucketsOf(hours: HourCounts[], { begin, end }: Window, order: Order) {
  const [from, until] = [Date.parse(begin), Date.parse(end)]
  const width = (widths.find((count) => (until - from) / (count * hour) <= maxColumns) ?? 24) * hour
  const values = [...new Set(hours.flatMap(({ by }) => by.map(({ value }) => value)))]
  const sums = new Map(values.map((value) => [value, 0n]))
  for (const { by } of hours)
    for (const totals of by) sums.set(totals.value, (sums.get(totals.value) ?? 0n) + amountOf(totals, order))
  values.sort((a, b) => Number((sums.get(b) ?? 0n) - (sums.get(a) ?? 0n)))
  const buckets: Bucket[] = []
  for (let at = from; at < until; at += width) {
    const inside = hours.filter(({ hour: start }) => Date.parse(start) >= at && Date.parse(start) < at + width)
    const total = inside.reduce((sum, one) => sum + amountOf(one, order), 0n)
    const amounts = values.map((value) =>
      inside.reduce((sum, { by }) => {
        const found = by.find((one) => one.value === value)
        return found ? sum + amountOf(found, order) : sum
      }, 0n),
    )
    const others = total - amounts.reduce((sum, amount) => sum + amount, 0n)
    buckets.push({ begin: at, end: Math.min(at + width, until), total, amounts: [...amounts, others] })
  }
  return { values, buckets }
}
