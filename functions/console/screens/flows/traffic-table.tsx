import { RowTable } from '../../collection/row-table.tsx'
import { texts } from '../../texts/texts.ts'
import type { Bucket, Series } from './buckets.ts'

type Props = { buckets: Bucket[]; series: Series[] }

/** Table with the exact numbers of the plot, for readers who do not see it (K8.2). Columns without flows are left out. */
export function TrafficTable({ buckets, series }: Props) {
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
