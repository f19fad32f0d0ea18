import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { plainText } from '../parts/characters.ts'
import { ShownText } from '../parts/shown-text.tsx'
import { Time } from '../parts/time.tsx'
import { labelOf, optionOf, texts } from '../texts/texts.ts'
import type { Collection, Column, Row } from './collection.ts'
import { conditionText } from './conditions.ts'
import { durationText } from './durations.ts'
import { type Names, references, useNames } from './references.ts'

type PortFilter = { protocol: string; ports: string[] }
type Condition = { property: string; operator: string; values: string[] }
type Grant = { group_id: string | null; conditions: unknown[] }

const filterText = ({ protocol, ports }: PortFilter): string =>
  [protocol.toUpperCase(), ports.map((port) => port.replace(' - ', '–')).join(', ')].filter(Boolean).join(' ')

function Reference({ to, id, names }: { to: NonNullable<Column<Row>['to']>; id: string; names: Names }) {
  const name = names(to, id)
  return (
    <Link href={`${references[to].address}/${id}`} className="reference">
      {name === undefined ? <code title={id}>{id.slice(0, 8)}…</code> : <ShownText text={name} />}
    </Link>
  )
}

/** Shows a link only for an https address, because other schemes can run code (K4.2). */
function Address({ text }: { text: string }) {
  return text.startsWith('https://') ? (
    <a href={text} target="_blank" rel="noopener noreferrer">
      <ShownText text={text} />
    </a>
  ) : (
    <code>
      <ShownText text={text} />
    </code>
  )
}

function Lines({ lines }: { lines: string[] }) {
  return (
    <span className="lines">
      {lines.map((line) => (
        <span key={line}>
          <ShownText text={line} />
        </span>
      ))}
    </span>
  )
}

function contentOf(column: Column<Row>, value: unknown, names: Names): ReactNode {
  switch (column.kind) {
    case 'code':
      return (
        <code>
          <ShownText text={String(value)} />
        </code>
      )
    case 'option':
      return <span className="option">{optionOf(column.field, String(value))}</span>
    case 'time':
      return <Time value={String(value)} />
    case 'instant':
      return <Time value={String(value)} exact />
    case 'flag':
      return value ? texts.yes : texts.no
    case 'duration':
      return durationText(Number(value))
    case 'link':
      return <Address text={String(value)} />
    case 'list':
      return <Lines lines={(value as string[]).map(String)} />
    case 'filters':
      return <Lines lines={(value as PortFilter[]).map(filterText)} />
    case 'conditions':
      return <Lines lines={(value as Condition[]).map((one) => conditionText(one))} />
    case 'policies':
      return (value as Grant[]).map(({ group_id, conditions }, index) => (
        <span key={group_id ?? index}>
          {index > 0 && ', '}
          {group_id && <Reference to="groups" id={group_id} names={names} />}
          {conditions.length > 0 && <span className="minor"> ({texts.badges.conditional.toLowerCase()})</span>}
        </span>
      ))
    default:
      return <ShownText text={typeof value === 'object' ? JSON.stringify(value) : String(value)} />
  }
}

/** True for a value that has nothing to show. */
export const isBlank = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

/** Shows the value of a column. */
export function Value({ column, row, names }: { column: Column<Row>; row: Row; names: Names }) {
  const value = row[column.field]
  if (isBlank(value))
    return <span className="none">{column.kind === 'filters' ? texts.allPorts : texts.states.none}</span>
  if (column.to) return <Reference to={column.to} id={String(value)} names={names} />
  return contentOf(column, value, names)
}

/** Returns a value as text, for CSV, sorting and the dialog of conflicts. */
export function textOf(column: Pick<Column<Row>, 'field' | 'kind' | 'to'>, row: Row, names: Names): string {
  const value = row[column.field]
  if (isBlank(value)) return ''
  if (column.to) return names(column.to, String(value)) ?? String(value)
  switch (column.kind) {
    case 'option':
      return optionOf(column.field, String(value))
    case 'filters':
      return (value as PortFilter[]).map(filterText).join('; ')
    case 'conditions':
      return (value as Condition[]).map((one) => conditionText(one)).join('; ')
    case 'policies':
      return (value as Grant[]).map(({ group_id }) => names('groups', group_id ?? '') ?? group_id).join('; ')
    case 'list':
      return (value as string[]).join('; ')
    case 'flag':
      return value ? texts.yes : texts.no
    default:
      return typeof value === 'object' ? JSON.stringify(value) : String(value)
  }
}

export const titleOf = (row: Row, field = 'name'): string => plainText(String(row[field] ?? row.id))

/** Returns the title of an object: its name, or the names of the objects that it connects. */
export function useTitle({ title, connects }: Collection, row: Row | undefined): string {
  const wanted = row && connects ? connects.map(({ field, to }) => ({ to, id: row[field] })) : []
  const ids = wanted.filter(({ id }) => typeof id === 'string').map(({ to, id }) => [to, [id as string]])
  const names = useNames(Object.fromEntries(ids))
  if (!row) return ''
  if (!connects) return titleOf(row, title)
  return wanted.map(({ to, id }) => plainText(names(to, String(id)) ?? texts.states.none)).join(' → ')
}

export const columnLabel = ({ field, label }: { field: string; label?: string }): string => label ?? labelOf(field)
