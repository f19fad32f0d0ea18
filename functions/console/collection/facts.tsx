import type { ReactNode } from 'react'
import type { Collection, Row } from './collection.ts'
import { useNames } from './references.ts'
import { idsIn } from './row-table.tsx'
import { columnLabel, isBlank, Value } from './values.tsx'

/** Facts by their labels. Those without a value are left out. */
export const FactList = ({ facts }: { facts: Record<string, ReactNode> }) => (
  <dl className="facts">
    {Object.entries(facts)
      .filter(([, value]) => value)
      .map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)

type FactsProps = { collection: Pick<Collection, 'facts' | 'factsOf' | 'hidesBlank'>; row: Row }

/** Facts of an object, and its id. */
export function Facts({ collection, row }: FactsProps) {
  const all = collection.factsOf?.(row) ?? collection.facts
  const names = useNames(idsIn(all, [row]))
  const shown = collection.hidesBlank ? all.filter(({ field }) => !isBlank(row[field])) : all
  const facts = shown.map((column) => [
    columnLabel(column),
    <Value key={column.field} column={column} row={row} names={names} />,
  ])
  return <FactList facts={{ ...Object.fromEntries(facts), ID: <code>{row.id}</code> }} />
}
