import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { plainText, shortId } from '../parts/characters.ts'
import { ShownText } from '../parts/shown-text.tsx'
import { Time } from '../parts/time.tsx'
import { labelOf, optionOf, texts } from '../texts/texts.ts'
import type { Collection, Column, Field, Row } from './collection.ts'
import { type Condition, conditionText } from './conditions.ts'
import { durationText } from './durations.ts'
import { type Names, references, useNames } from './references.ts'

type PortFilter = { protocol: string; ports: string[] }
type Grant = { group_id: string | null; conditions: unknown[] }

const filterText = ({ protocol, ports }: PortFilter): string =>
  [protocol.toUpperCase(), ports.map((port) => port.replace(' - ', '–')).join(', ')].filter(Boolean).join(' ')

function Reference({ to, id, names }: { to: NonNullable<Column<Row>['to']>; id: string; names: Names }) {
  const name = names(to, id)
  return (
    <Link href={`${references[to].address}/${id}`} className="reference">
      {name === undefined ? <code title={id}>{shortId(id)}</code> : <ShownText text={name} />}
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

/** Returns the elements of a list, each as text; undefined for a value that is not shown as a list. */
function linesOf(kind: Column<Row>['kind'], value: unknown): string[] | undefined {
  if (kind === 'list') return (value as unknown[]).map(String)
  if (kind === 'filters') return (value as PortFilter[]).map(filterText)
  return kind === 'conditions' ? (value as Condition[]).map((one) => conditionText(one)) : undefined
}

function contentOf(column: Column<Row>, value: unknown, names: Names): ReactNode {
  const lines = linesOf(column.kind, value)
  if (lines) return <Lines lines={lines} />
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
  if (column.render) return column.render(row)
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
  if (column.kind === 'option') return optionOf(column.field, String(value))
  if (column.kind === 'policies')
    return (value as Grant[]).map(({ group_id }) => names('groups', group_id ?? '') ?? group_id).join('; ')
  if (column.kind === 'flag' || typeof value === 'boolean') return value ? texts.yes : texts.no
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return linesOf(column.kind, value)?.join('; ') ?? text
}

/** Kinds of values by the controls that edit them. */
const formKinds = { ports: 'filters', conditions: 'conditions', lines: 'list', choice: 'option', flag: 'flag' } as const

/** Column that shows the value of a form field. */
export function fieldColumn({ name, kind, to }: Field): Column<Row> {
  const shown = formKinds[kind as keyof typeof formKinds]
  return { field: name, ...(shown && { kind: shown }), ...(to && { to }) }
}

/** Column that shows a value by its name and type, where no declaration does. `time` is the kind of times. */
export function detectedColumn(field: string, value: unknown, time: 'time' | 'instant'): Column<Row> {
  if (field.endsWith('_at')) return { field, kind: time }
  if (typeof value === 'boolean') return { field, kind: 'flag' }
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string')
  return isList ? { field, kind: 'list' } : { field }
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
