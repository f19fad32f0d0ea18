import { useState } from 'react'
import type { CalledRoute } from '../../client/api-types.ts'
import { useRead } from '../../client/queries.ts'
import { Pager } from '../../collection/row-table.tsx'
import { Badge } from '../../parts/controls.tsx'
import { ShownText } from '../../parts/shown-text.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { labelOf, texts } from '../../texts/texts.ts'
import type { RunChange } from './run-source.ts'

const pageSize = 50

const tones = { insert: 'good', update: 'warn', delete: 'bad' } as const

const textOfValue = (value: unknown): string =>
  value === null || value === undefined ? texts.states.none : typeof value === 'string' ? value : JSON.stringify(value)

/** Fields that a change changes, or the email of an inserted or deleted object. */
function Fields({ change: { before, after, change } }: { change: RunChange }) {
  const fields = Object.keys({ ...before, ...after }).filter((field) =>
    change === 'update'
      ? JSON.stringify(before?.[field] ?? null) !== JSON.stringify(after?.[field] ?? null)
      : /email|^serial_number$/.test(field) && (before ?? after)?.[field],
  )
  return (
    <span className="lines">
      {fields.map((field) => (
        <span key={field}>
          <span className="minor">{labelOf(field)}</span>{' '}
          {change === 'update' && (
            <>
              <ShownText text={textOfValue(before?.[field])} /> →{' '}
            </>
          )}
          <ShownText text={textOfValue((after ?? before)?.[field])} />
        </span>
      ))}
    </span>
  )
}

/** Changes that a run has made, or that its plan has, in pages. */
export function RunChanges({ route, path }: { route: CalledRoute; path: { id: string; run_id: string } }) {
  const [cursor, setCursor] = useState<string>()
  const query = { limit: pageSize, ...(cursor && { page_cursor: cursor }) }
  const read = useRead(route as 'GET /idp_directories/{id}/runs/{run_id}/changes', { path, query, keep: true })
  if (read.isLoading) return <Loading rows={6} />
  if (!read.data) return read.error && <Failed problem={read.error} onRetry={() => void read.refetch()} />
  const { data, metadata } = read.data.answer
  if (data.length === 0) return <Empty title={texts.none('changes')} />
  const labels = [texts.run.change, texts.run.object, labelOf('name'), texts.run.details] as const
  return (
    <section>
      <h2>
        {texts.many('changes')}
        <span className="total">{texts.number(metadata.total)}</span>
      </h2>
      <div className="table-frame">
        <table className="rows" aria-label={texts.many('changes')}>
          <thead>
            <tr>
              {labels.map((label) => (
                <th scope="col" key={label}>
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.map((change, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the changes of a run have a fixed order and no id
              <tr key={index}>
                <td>
                  <Badge tone={tones[change.change]}>{texts.run.kinds[change.change]}</Badge>
                </td>
                <td data-label={labels[1]}>{labelOf(change.object)}</td>
                <td data-label={labels[2]}>
                  <ShownText text={change.name} />
                </td>
                <td data-label={labels[3]}>
                  <Fields change={change} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Pager
        shown={data.length}
        total={metadata.total}
        onPrevious={metadata.prev_page ? () => setCursor(metadata.prev_page ?? undefined) : null}
        onNext={metadata.next_page ? () => setCursor(metadata.next_page ?? undefined) : null}
      />
    </section>
  )
}
