import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { shortId } from '../parts/characters.ts'
import { ActionButton, Badge } from '../parts/controls.tsx'
import { Icon } from '../parts/icons.tsx'
import { ShownText } from '../parts/shown-text.tsx'
import { texts } from '../texts/texts.ts'
import type { Column, ReferenceName, Row, State } from './collection.ts'
import { type Names, useNames } from './references.ts'
import { columnLabel, isBlank, Value } from './values.tsx'

export type Sorting = { field: string; isDescending: boolean }

type Props = {
  label: string
  columns: Column<Row>[]
  rows: Row[]
  states?: ((row: Row) => State[]) | undefined
  opens?: ((row: Row) => string) | undefined
  sorting?: Sorting | undefined
  onSort?: ((field: string) => void) | undefined
  /** Buttons at the end of a row. */
  actions?: (row: Row) => ReactNode
  /** Selected rows of a list with actions on several rows. */
  selection?: Selection | undefined
  /** True if all columns but the first have numbers. */
  hasNumbers?: boolean
}

type Selection = { ids: ReadonlySet<string>; isFull: boolean; toggle: (rows: Row[], isSelected: boolean) => void }

type CheckboxProps = { label: string; rows: Row[]; selection: Selection }

/** Checkbox of one row, or of all rows of a page. */
function RowCheckbox({ label, rows, selection: { ids, isFull, toggle } }: CheckboxProps) {
  const isSelected = rows.every(({ id }) => ids.has(id))
  return (
    <input
      type="checkbox"
      aria-label={label}
      checked={isSelected}
      disabled={isFull && !isSelected}
      onChange={() => toggle(rows, !isSelected)}
    />
  )
}

/** Collects the ids in a page of rows, by the collection that they refer to. */
export function idsIn(columns: Column<Row>[], rows: Row[]): Partial<Record<ReferenceName, string[]>> {
  const wanted: Partial<Record<ReferenceName, string[]>> = {}
  for (const { field, to, kind } of columns) {
    const target = to ?? (kind === 'policies' ? 'groups' : undefined)
    if (!target) continue
    const values = rows.flatMap((row) => {
      const value = row[field]
      return Array.isArray(value) ? value.map((one: { group_id?: string }) => one.group_id) : [value]
    })
    wanted[target] = [...(wanted[target] ?? []), ...values.filter((id) => typeof id === 'string')]
  }
  return wanted
}

export function StateBadges({ states }: { states: State[] }) {
  return (
    <span className="badges">
      {states.map(({ text, tone }) => (
        <Badge key={text} tone={tone}>
          {text}
        </Badge>
      ))}
    </span>
  )
}

type HeaderProps = { field: string; label: string } & Pick<Props, 'sorting' | 'onSort'>

function HeaderCell({ field, label, sorting, onSort }: HeaderProps) {
  const isSorted = sorting?.field === field
  const order = isSorted ? (sorting.isDescending ? 'descending' : 'ascending') : 'none'
  return (
    <th scope="col" {...(onSort && { 'aria-sort': order })}>
      {onSort ? (
        <button type="button" className="sort" onClick={() => onSort(field)} title={texts.list.sort(label)}>
          {label}
          {isSorted && <Icon name={sorting.isDescending ? 'down' : 'up'} />}
        </button>
      ) : (
        <ShownText text={label} />
      )}
    </th>
  )
}

function FirstCell({
  column,
  row,
  opens,
  names,
}: { column: Column<Row>; row: Row; names: Names } & Pick<Props, 'opens'>) {
  if (!opens || column.to) return <Value column={column} row={row} names={names} />
  return (
    <Link href={opens(row)} className="row-link">
      {isBlank(row[column.field]) ? <code>{shortId(row.id)}</code> : <Value column={column} row={row} names={names} />}
    </Link>
  )
}

/** Table of objects. On narrow screens, each row becomes a block with the first column as its title. */
export function RowTable({ label, columns, rows, states, opens, sorting, onSort, actions, selection, ...more }: Props) {
  const names = useNames(idsIn(columns, rows))
  const isLinkInCell = columns[0]?.to !== undefined && opens
  return (
    <div className="table-frame">
      <table className={more.hasNumbers ? 'rows numbers' : 'rows'} aria-label={label}>
        <thead>
          <tr>
            {selection && (
              <th scope="col" className="select">
                <RowCheckbox label={texts.bulk.selectAll} rows={rows} selection={selection} />
              </th>
            )}
            {columns.map((column) => (
              <HeaderCell
                key={column.field}
                field={column.field}
                label={columnLabel(column)}
                sorting={sorting}
                onSort={onSort}
              />
            ))}
            {states && <th scope="col">{texts.state}</th>}
            {(actions || isLinkInCell) && (
              <th scope="col">
                <span className="visually-hidden">{texts.actions.title}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              {selection && (
                <td className="select">
                  <RowCheckbox label={texts.bulk.select} rows={[row]} selection={selection} />
                </td>
              )}
              {columns.map((column, index) => (
                <td
                  key={column.field}
                  data-label={columnLabel(column)}
                  className={column.minor ? 'minor-column' : undefined}
                >
                  {index === 0 ? (
                    <FirstCell column={column} row={row} names={names} opens={opens} />
                  ) : (
                    <Value column={column} row={row} names={names} />
                  )}
                </td>
              ))}
              {states && (
                <td data-label={texts.state}>
                  <StateBadges states={states(row)} />
                </td>
              )}
              {isLinkInCell && (
                <td className="end">
                  <Link href={opens(row)} className="row-link quiet-link" aria-label={texts.list.open}>
                    <Icon name="next" />
                  </Link>
                </td>
              )}
              {actions && <td className="end">{actions(row)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

type PagerProps = { shown: number; total: number | null; onPrevious: (() => void) | null; onNext: (() => void) | null }

/** Buttons to the previous and next page; nothing for a list of one page. */
export function Pager({ shown, total, onPrevious, onNext }: PagerProps) {
  if (!onPrevious && !onNext) return null
  return (
    <nav className="pager" aria-label={texts.list.pages}>
      <span className="minor">{texts.list.rows(shown, total)}</span>
      <ActionButton icon="previous" isDisabled={!onPrevious} onPress={() => onPrevious?.()}>
        {texts.actions.previous}
      </ActionButton>
      <ActionButton isDisabled={!onNext} onPress={() => onNext?.()}>
        {texts.actions.next}
        <Icon name="next" />
      </ActionButton>
    </nav>
  )
}
