import * as v from 'valibot'
import { clock, hourMicros, timestamp } from '../core/clock.ts'
import { countTraffic, type Traffic } from './count-traffic.ts'
import { addSums, type HourCounts, positionsOfRole, type Sum } from './counters/value-counts.ts'
import { readTopQuery, readTrafficQuery } from './traffic-query.ts'

const totalsFields = { flows: v.number(), rx_bytes: v.bigint(), tx_bytes: v.bigint() }
const ValueTotals = v.object({ value: v.nullable(v.string()), ...totalsFields })
const reading = { watermark: v.nullable(v.string()), counted_from: v.nullable(v.string()), approximate: v.boolean() }

export const HistogramAnswer = v.object({
  ...reading,
  hours: v.array(v.object({ hour: v.string(), open: v.number(), ...totalsFields, by: v.array(ValueTotals) })),
})
export const TopAnswer = v.object({ ...reading, values: v.array(ValueTotals) })

/** Number of values of a histogram (R9.6). */
const histogramValues = 6

/** Flows, received and sent bytes. */
type Totals = [flows: Sum, rx: Sum, tx: Sum]
const none: Readonly<Totals> = [0, 0, 0]

class TotalsBy<K> extends Map<K, Totals> {
  /** Adds the sums at the positions of roles. */
  addTo(key: K, positions: readonly number[], sumAt: (position: number) => Sum | undefined): void {
    const sums: Totals = this.get(key) ?? [...none]
    for (const position of positions)
      for (let i = 0; i < sums.length; i++) sums[i] = addSums(sums[i] as Sum, sumAt(position + i) ?? 0)
    this.set(key, sums)
  }
}

const render = ([flows, rx, tx]: Readonly<Totals>) => ({
  flows: Number(flows),
  rx_bytes: BigInt(rx),
  tx_bytes: BigInt(tx),
})
const renderValue = (value: string, totals: Readonly<Totals>) => ({
  value: value === '' ? null : value,
  ...render(totals),
})
const renderReading = ({ watermark, countedFrom, approximate }: Traffic) => ({
  watermark: watermark === null ? null : timestamp(watermark),
  counted_from: countedFrom === null ? null : timestamp(countedFrom),
  approximate,
})

/** Returns the values with flows, the greatest first. */
function rankValues(
  hours: HourCounts[],
  positions: readonly number[],
  measure: (totals: Totals) => Sum,
): [value: string, totals: Totals][] {
  const values = new TotalsBy<string>()
  for (const { values: counted, columns } of hours)
    for (const [i, value] of counted.entries()) values.addTo(value, positions, (at) => columns[at]?.[i])
  const ranked = [...values].filter(([, [flows]]) => flows > 0).map((entry) => ({ entry, size: measure(entry[1]) }))
  ranked.sort((a, b) => (a.size !== b.size ? (a.size > b.size ? -1 : 1) : a.entry[0] < b.entry[0] ? -1 : 1))
  return ranked.map(({ entry }) => entry)
}

const flowsOf = ([flows]: Totals): Sum => flows
const bytesOf = ([, rx, tx]: Totals): Sum => addSums(rx, tx)

/** Counts the flows of each hour of a window (`GET /logs/histogram`, R9). @throws ApiError `invalid_log_query` */
export async function readHistogram(
  account: string,
  search: URLSearchParams,
): Promise<{ data: v.InferInput<typeof HistogramAnswer> }> {
  const now = clock.now()
  const query = readTrafficQuery(search, now)
  const traffic = await countTraffic(account, query, now)
  const positions = positionsOfRole(query.role)
  const shown = query.by ? rankValues(traffic.hours, positions, flowsOf).slice(0, histogramValues) : []
  const totals = new TotalsBy<number>()
  const ofValues = new TotalsBy<string>()
  for (const { hour, values, columns, rest } of traffic.hours) {
    const sumAt = (at: number) => (columns[at] ?? []).reduce(addSums, rest?.sums[at] ?? 0)
    totals.addTo(hour, positions, sumAt)
    for (const [value] of shown) {
      const i = values.indexOf(value)
      if (i >= 0) ofValues.addTo(`${hour} ${value}`, positions, (at) => columns[at]?.[i])
    }
  }
  const first = traffic.countedFrom ?? query.begin
  const hours = Array.from({ length: (query.end - first) / hourMicros }, (_, i) => {
    const hour = first + i * hourMicros
    const by = shown.flatMap(([value]) => {
      const ofHour = ofValues.get(`${hour} ${value}`) ?? none
      return ofHour[0] > 0 ? [renderValue(value, ofHour)] : []
    })
    return { hour: timestamp(hour), open: traffic.open.get(hour) ?? 0, ...render(totals.get(hour) ?? none), by }
  })
  return { data: { ...renderReading(traffic), hours } }
}

/** Returns the values of a dimension with the most flows or bytes (`GET /logs/top`, R9). @throws ApiError `invalid_log_query` */
export async function readTopValues(
  account: string,
  search: URLSearchParams,
): Promise<{ data: v.InferInput<typeof TopAnswer> }> {
  const now = clock.now()
  const query = readTopQuery(search, now)
  const traffic = await countTraffic(account, query, now)
  const measure = query.order === 'bytes' ? bytesOf : flowsOf
  const ranked = rankValues(traffic.hours, positionsOfRole(query.role), measure).slice(0, query.limit)
  return { data: { ...renderReading(traffic), values: ranked.map(([value, totals]) => renderValue(value, totals)) } }
}
