import { Time } from '../../parts/time.tsx'
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
      <div className="table-frame">
        <table className="rows" aria-label={texts.flows.asTable}>
          <thead>
            <tr>
              <th scope="col">{texts.flows.from}</th>
              {series.map(({ name, color }) => (
                <th scope="col" key={color}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ begin, amounts }) => (
              <tr key={begin}>
                <td>
                  <Time value={new Date(begin).toISOString()} exact />
                </td>
                {series.map(({ name, color }, index) => (
                  <td key={color} data-label={name}>
                    {texts.number(amounts[index] ?? 0n)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
