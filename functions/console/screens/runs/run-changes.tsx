import type { CalledRoute } from '../../client/api-types.ts'
import type { Column, Row } from '../../collection/collection.ts'
import { PagedRows } from '../../collection/related-rows.tsx'
import { RowTable } from '../../collection/row-table.tsx'
import { Badge } from '../../parts/controls.tsx'
import { ShownText } from '../../parts/shown-text.tsx'
import { labelOf, texts } from '../../texts/texts.ts'
import type { RunChange } from './run-source.ts'

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

type ChangeRow = Row & RunChange

const columns = [
  {
    field: 'change',
    label: texts.run.change,
    render: ({ change }: ChangeRow) => <Badge tone={tones[change]}>{texts.run.kinds[change]}</Badge>,
  },
  { field: 'object', label: texts.run.object, render: ({ object }: ChangeRow) => labelOf(object) },
  { field: 'name' },
  { field: 'details', label: texts.run.details, render: (change: ChangeRow) => <Fields change={change} /> },
] as Column<Row>[]

/** Converts a change of a run to a row. The changes have a fixed order and no id. */
const toRow = (change: RunChange, index: number): Row => ({ ...change, id: String(index) })

/** Changes that a run has made, or that its plan has, in pages. */
export const RunChanges = ({ route, path }: { route: CalledRoute; path: { id: string; run_id: string } }) => (
  <PagedRows
    noun="changes"
    list={route}
    path={path}
    toRow={toRow}
    render={(rows, total) => (
      <section>
        <h2>
          {texts.many('changes')}
          <span className="total">{texts.number(total ?? rows.length)}</span>
        </h2>
        <RowTable label={texts.many('changes')} columns={columns} rows={rows} />
      </section>
    )}
  />
)
