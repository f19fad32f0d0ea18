import { useState } from 'react'
import { useRead } from '../../client/queries.ts'
import type { ReferenceName } from '../../collection/collection.ts'
import { Choice } from '../../collection/field-controls.tsx'
import { useChoices, useNames, type WantedNames } from '../../collection/references.ts'
import { RowTable } from '../../collection/row-table.tsx'
import { titleOf } from '../../collection/values.tsx'
import type { AboveProps } from '../../logs/log-screen.tsx'
import { wholeHours } from '../../logs/window.ts'
import { plainText, shortId } from '../../parts/characters.ts'
import { ActionButton } from '../../parts/controls.tsx'
import { ReadState } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { labelOf, texts } from '../../texts/texts.ts'
import { amountOf, type Bucket, bucketsOf, type HourCounts, type Order, type Series } from './buckets.ts'
import { ColumnPlot } from './column-plot.tsx'

const dimensions = ['actor', 'resource', 'gateway', 'client', 'policy', 'port'] as const
type Dimension = (typeof dimensions)[number]

const collections: Partial<Record<Dimension, ReferenceName>> = {
  ...{ actor: 'actors', resource: 'resources', gateway: 'gateways', client: 'clients' },
}

const day = 86_400_000

const topDimensions = ['actor', 'resource', 'gateway'] as const

type Values = HourCounts['by']

/** Resolves values of dimensions to words, with one request for all names. Erased actors share the value null (R9.4). */
function useValueNames(wanted: Array<[Dimension, string | null]>) {
  const ids: WantedNames = {}
  for (const [by, value] of wanted) {
    const to = collections[by]
    if (to && value) ids[to] = [...(ids[to] ?? []), value]
  }
  const names = useNames(ids)
  const { rows } = useChoices(
    'policies',
    wanted.some(([by]) => by === 'policy'),
  )
  return (by: Dimension | undefined, value: string | null): string => {
    if (value === null) return texts.flows.erased
    const to = by && collections[by]
    const policy = by === 'policy' ? rows.find(({ id }) => id === value) : undefined
    if (policy) return titleOf(policy, 'description')
    return plainText((to ? names(to, value) : undefined) ?? (by === 'port' ? value : shortId(value)))
  }
}

type TopProps = {
  title: string
  values: Values
  order: Order
  nameOf: (value: string | null) => string
  onChoose: (value: string) => void
}

/** Values with the most flows or bytes. A press filters by one. */
function TopList({ title, values, order, nameOf, onChoose }: TopProps) {
  const largest = values[0] ? Number(amountOf(values[0], order)) : 1
  return (
    <section className="top-list">
      <h2>{title}</h2>
      {values.length === 0 && <p className="minor">{texts.states.none}</p>}
      <ul>
        {values.map((totals) => (
          <li key={totals.value}>
            <button
              type="button"
              className="top-row"
              disabled={totals.value === null}
              onClick={() => totals.value !== null && onChoose(totals.value)}
            >
              <span>{nameOf(totals.value)}</span>
              <span>{texts.number(amountOf(totals, order))}</span>
              <meter min={0} max={largest} value={Number(amountOf(totals, order))} aria-hidden="true" />
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

type TableProps = { buckets: Bucket[]; series: Series[] }

/** Table with the exact numbers of the plot, for readers who do not see it (K8.2). Columns without flows are left out. */
function TrafficTable({ buckets, series }: TableProps) {
  const shown = buckets.filter(({ total }) => total > 0n)
  if (shown.length === 0) return null
  return (
    <details>
      <summary>{texts.flows.asTable}</summary>
      <RowTable
        label={texts.flows.asTable}
        columns={[
          { field: 'id', label: texts.flows.from, kind: 'instant' },
          ...series.map(({ name, color }) => ({ field: color, label: name })),
        ]}
        rows={shown.map(({ begin, amounts }) => ({
          id: new Date(begin).toISOString(),
          ...Object.fromEntries(series.map(({ color }, index) => [color, texts.number(amounts[index] ?? 0n)])),
        }))}
      />
    </details>
  )
}

/** Plot of the flows of the window, its table, and the values with the most flows (K8.2). */
export function Traffic({ chosen, query: sent, onChange }: AboveProps) {
  const [now] = useState(Date.now)
  const window = wholeHours({ begin: chosen.begin ?? '', end: chosen.end ?? '' }, now)
  const by = dimensions.find((one) => one === chosen.by)
  const order: Order = chosen.order === 'bytes' ? 'bytes' : 'flows'
  const days = (Date.parse(window.end) - Date.parse(window.begin)) / day
  const isPlotted = days <= 31
  const base = { ...sent, ...window }
  const options = (role: 'responder' | 'initiator', enabled: boolean) => ({
    query: { ...base, role, ...(by && { by }) },
    enabled: isPlotted && enabled,
    keep: true,
  })
  const ofGateways = useRead('GET /logs/histogram', options('responder', true))
  const isBlank = ofGateways.data?.answer.data.hours.every(({ flows }) => flows === 0) ?? false
  const ofClients = useRead('GET /logs/histogram', options('initiator', isBlank))
  // Shows the reports of clients only where gateways reported nothing, because each connection would count twice otherwise.
  const isClients = isBlank && (ofClients.data?.answer.data.hours.some(({ flows }) => flows > 0) ?? false)
  const read = isClients ? ofClients : ofGateways
  const answer = read.data?.answer.data
  const { values, buckets } = bucketsOf((answer?.hours ?? []) as unknown as HourCounts[], window, order)
  const role = isClients ? ('initiator' as const) : ('responder' as const)
  const top = (dimension: 'actor' | 'resource' | 'gateway') => ({
    query: { ...base, role, by: dimension, order, limit: 5 },
    enabled: isPlotted && !read.isLoading,
    keep: true,
  })
  const tops = {
    actor: useRead('GET /logs/top', top('actor')),
    resource: useRead('GET /logs/top', top('resource')),
    gateway: useRead('GET /logs/top', top('gateway')),
  }
  const valuesOf = (dimension: keyof typeof tops) =>
    (tops[dimension].data?.answer.data.values ?? []) as unknown as Values
  const isSettled = topDimensions.every((dimension) => !tops[dimension].isLoading) && !read.isLoading
  const wanted: Array<[Dimension, string | null]> = [
    ...topDimensions.flatMap((one) => valuesOf(one).map(({ value }): [Dimension, string | null] => [one, value])),
    ...values.map((value): [Dimension, string | null] => [by ?? 'port', value]),
  ]
  const nameOf = useValueNames(isSettled ? wanted : [])
  const rest = by ? { name: texts.flows.others, color: 'series-rest' } : { name: texts.flows.all, color: 'series-0' }
  const hasRest = !by || buckets.some(({ amounts }) => amounts.at(-1) !== 0n)
  const named = values.map((value, index) => ({ name: nameOf(by, value), color: `series-${index}` }))
  const series = hasRest ? [...named, rest] : named
  const setWindow = (begin: number, end: number) =>
    onChange({ begin: new Date(begin).toISOString(), end: new Date(end).toISOString() })
  if (!isPlotted) return <p className="remark">{texts.flows.tooLong}</p>
  return (
    <section className="traffic">
      <div className="plot-tools">
        <span className="minor">{texts.flows.reportsOf[role]}</span>
        <Choice
          label={texts.flows.measure}
          value={order}
          options={[
            ['flows', texts.many('flows')],
            ['bytes', texts.flows.bytes],
          ]}
          onChange={(value) => onChange({ order: value })}
        />
        <Choice
          label={labelOf('by')}
          value={by ?? ''}
          options={[['', texts.flows.notDivided], ...dimensions.map((one) => [one, labelOf(one)] as const)]}
          onChange={(value) => onChange({ by: value })}
        />
      </div>
      {!answer && <ReadState read={read} rows={6} />}
      {answer && (
        <>
          <ColumnPlot buckets={buckets} series={series} order={order} onWindow={setWindow} />
          {answer.approximate && <p className="remark">{texts.flows.approximate}</p>}
          {answer.counted_from && (
            <p className="remark">
              {texts.flows.countedFrom} <Time value={answer.counted_from} exact />{' '}
              <ActionButton onPress={() => onChange({ end: answer.counted_from })}>{texts.flows.earlier}</ActionButton>
            </p>
          )}
          <TrafficTable buckets={buckets} series={series} />
        </>
      )}
      <div className="tops">
        {topDimensions.map((dimension) => (
          <TopList
            key={dimension}
            title={texts.flows.top(dimension)}
            values={valuesOf(dimension)}
            order={order}
            nameOf={(value) => nameOf(dimension, value)}
            onChoose={(value) => onChange({ [dimension]: value })}
          />
        ))}
      </div>
    </section>
  )
}
