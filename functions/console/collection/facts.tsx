import type { Collection, Row } from './collection.ts'
import { useNames } from './references.ts'
import { idsIn } from './row-table.tsx'
import { columnLabel, isBlank, Value } from './values.tsx'

type FactsProps = { collection: Pick<Collection, 'facts' | 'factsOf' | 'hidesBlank'>; row: Row }

/** Facts of an object, by their labels. */
export function Facts({ collection, row }: FactsProps) {
  const all = collection.factsOf?.(row) ?? collection.facts
  const names = useNames(idsIn(all, [row]))
  const facts = collection.hidesBlank ? all.filter(({ field }) => !isBlank(row[field])) : all
  return (
    <dl className="facts">
      {facts.map((column) => (
        <div key={column.field}>
          <dt>{columnLabel(column)}</dt>
          <dd>
            <Value column={column} row={row} names={names} />
          </dd>
        </div>
      ))}
      <div>
        <dt>ID</dt>
        <dd>
          <code>{row.id}</code>
        </dd>
      </div>
    </dl>
  )
}
