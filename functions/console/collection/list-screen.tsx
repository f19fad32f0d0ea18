import { useEffect, useId, useMemo, useState } from 'react'
import { useParams, useSearchParams } from 'wouter'
import { toProblem } from '../client/problem.ts'
import { useRead } from '../client/queries.ts'
import { ActionButton, ActionLink } from '../parts/controls.tsx'
import { Icon } from '../parts/icons.tsx'
import { notify } from '../parts/notice.tsx'
import { usePageTitle } from '../parts/page-title.ts'
import { saveFile } from '../parts/secret-dialog.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { hasScope, useSession } from '../session/session.ts'
import { labelOf, optionOf, texts } from '../texts/texts.ts'
import { BulkBar, bulkActionsOf, maxSelected } from './bulk.tsx'
import { type Collection, type Filter, fillAddress, type Row } from './collection.ts'
import { maxCsvRows } from './csv.ts'
import { exportRows } from './export-rows.ts'
import { LiveNotice, useLiveRows } from './live-rows.tsx'
import { references, useChoices, useNames } from './references.ts'
import { idsIn, Pager, RowTable, type Sorting } from './row-table.tsx'
import { textOf, titleOf } from './values.tsx'

const pageSize = 50

/** Maximum number of rows that are loaded at once to be searched and sorted (K5.3). */
const maxLoaded = 1000

type Answer = { data: Row[]; metadata: { next_page: string | null; prev_page: string | null; total?: number | null } }

type FilterProps = { filter: Filter; value: string; onChange: (value: string) => void }

/** Control of a filter: a choice, or a value that is taken over at Enter or when the focus leaves. */
export function FilterControl({ filter, value, onChange }: FilterProps) {
  const id = useId()
  const { rows } = useChoices(filter.to, filter.to !== undefined)
  const label = labelOf(filter.name)
  const choices =
    filter.choices ??
    (filter.to
      ? rows.map((row) => [row.id, titleOf(row, references[filter.to ?? 'sites'].title)] as const)
      : filter.flag
        ? ([
            ['true', texts.yes],
            ['false', texts.no],
          ] as const)
        : filter.options?.map((option) => [option, optionOf(filter.name, option)] as const))
  return (
    <div className="filter">
      <label htmlFor={id}>{label}</label>
      {choices ? (
        <select id={id} className="input" value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="">{filter.blank ?? texts.list.any}</option>
          {choices.map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          className="input"
          key={value}
          type={filter.type ?? 'text'}
          defaultValue={value}
          onBlur={(event) => event.target.value !== value && onChange(event.target.value)}
          onKeyDown={(event) => event.key === 'Enter' && onChange(event.currentTarget.value)}
        />
      )}
    </div>
  )
}

function sortRows(rows: Row[], sorting: Sorting | undefined, textIn: (row: Row) => string): Row[] {
  if (!sorting) return rows
  const collator = new Intl.Collator(texts.locale, { numeric: true, sensitivity: 'base' })
  const sorted = rows.toSorted((a, b) => collator.compare(textIn(a), textIn(b)))
  return sorting.isDescending ? sorted.reverse() : sorted
}

/** State of a list, which its address contains: filters, the text to find, the order and the page. */
export function useListAddress(filters: Filter[]) {
  const [search, setSearch] = useSearchParams()
  const change = (changes: Record<string, string | null>) =>
    setSearch(
      (current) => {
        const next = new URLSearchParams(current)
        for (const [name, value] of Object.entries(changes)) value ? next.set(name, value) : next.delete(name)
        return next
      },
      { replace: true },
    )
  const sort = search.get('sort')
  return {
    cursor: search.get('page_cursor'),
    part: Number(search.get('part') ?? 1),
    find: search.get('find') ?? '',
    sorting: sort ? { field: sort.replace(/^-/, ''), isDescending: sort.startsWith('-') } : undefined,
    chosen: Object.fromEntries(filters.flatMap(({ name }) => (search.get(name) ? [[name, search.get(name)]] : []))),
    change,
    filter: (changes: Record<string, string | null>) => change({ ...changes, page_cursor: null, part: null }),
    turn: (changes: Record<string, string | null>) =>
      setSearch((current) => {
        const next = new URLSearchParams(current)
        for (const [name, value] of Object.entries(changes)) value ? next.set(name, value) : next.delete(name)
        return next
      }),
  }
}

/** List of a collection: filters, search and order for up to 1,000 rows, pages, and an export (K5.3). */
export function ListScreen({ collection }: { collection: Collection }) {
  const { noun, columns, routes, scope, address, states } = collection
  const session = useSession()
  const params = useParams<Record<string, string>>()
  const filters = collection.filters ?? []
  const { cursor, part, find, sorting, chosen, change, filter, turn } = useListAddress(filters)
  const isWhole = find !== '' || sorting !== undefined
  const query = {
    ...collection.query,
    ...chosen,
    limit: isWhole ? maxLoaded : pageSize,
    ...(cursor && !isWhole && { page_cursor: cursor }),
  }
  const read = useRead(routes.list as 'GET /sites', { path: params as never, query, keep: true })
  const answer = read.data?.answer as unknown as Answer | undefined
  const [isRejected, setRejected] = useState(false)
  const isCursorRejected = read.error?.code === 'invalid_page_cursor'
  useEffect(() => {
    if (!isCursorRejected) return
    setRejected(true)
    change({ page_cursor: null })
  })
  const live = useLiveRows(JSON.stringify(query), answer?.data, read.isFetching)
  const loaded = live.rows
  const names = useNames(idsIn(columns, loaded))
  const matching = useMemo(() => {
    const wanted = find.toLowerCase()
    const isMatch = (row: Row) => columns.some((column) => textOf(column, row, names).toLowerCase().includes(wanted))
    const column = columns.find(({ field }) => field === sorting?.field)
    const found = wanted ? loaded.filter(isMatch) : loaded
    return sortRows(found, column && sorting, (row) => (column ? textOf(column, row, names) : ''))
  }, [loaded, find, sorting, columns, names])
  const rows = isWhole ? matching.slice((part - 1) * pageSize, part * pageSize) : loaded
  const total = isWhole ? matching.length : (answer?.metadata.total ?? null)
  const isSortable = isWhole || (total !== null && total <= maxLoaded)
  const hasFilter = find !== '' || Object.keys(chosen).length > 0
  const [exported, setExported] = useState<number>()
  const [selected, setSelected] = useState<ReadonlyMap<string, Row>>(new Map())
  const toggle = (some: Row[], isSelected: boolean) => {
    const next = new Map(selected)
    for (const row of some) {
      if (!isSelected) next.delete(row.id)
      else if (next.size < maxSelected) next.set(row.id, row)
    }
    setSelected(next)
  }
  const isSelectable = hasScope(session, scope, 'write') && bulkActionsOf(collection).length > 0
  const titleOfRow = (row: Row): string =>
    collection.connects?.map(({ field, to }) => names(to, String(row[field])) ?? texts.states.none).join(' → ') ??
    titleOf(row, collection.title)
  const listAddress = fillAddress(address, params)
  const canCreate = routes.create && hasScope(session, scope, 'write')
  usePageTitle(texts.many(noun))
  const exportCsv = async () => {
    setExported(0)
    try {
      const exported = { route: routes.list, path: params, query: { ...collection.query, ...chosen }, columns, states }
      const may = (name: string) => hasScope(session, name, 'read')
      const { text, count } = await exportRows(exported, isWhole ? matching : null, may, setExported)
      saveFile(`${noun}.csv`, text, 'text/csv;charset=utf-8')
      if (count === maxCsvRows) notify(texts.states.csvLimit)
    } catch (error) {
      notify(toProblem(error).message)
    } finally {
      setExported(undefined)
    }
  }
  const pages: Record<'previous' | 'next', Record<string, string> | null> = isWhole
    ? {
        previous: part > 1 ? { part: String(part - 1) } : null,
        next: part * pageSize < matching.length ? { part: String(part + 1) } : null,
      }
    : {
        previous: answer?.metadata.prev_page ? { page_cursor: answer.metadata.prev_page } : null,
        next: answer?.metadata.next_page ? { page_cursor: answer.metadata.next_page } : null,
      }
  return (
    <>
      <header className="page-header">
        <h1>
          {texts.many(noun)}
          {total !== null && answer && <span className="total">{texts.number(total)}</span>}
        </h1>
        <div className="page-actions">
          {loaded.length > 0 && (
            <ActionButton onPress={() => void exportCsv()} isDisabled={exported !== undefined}>
              {exported === undefined ? texts.actions.csv : texts.states.exporting(exported)}
            </ActionButton>
          )}
          {canCreate && (
            <ActionLink to={`${listAddress}/new`} tone="primary" icon="add">
              {texts.actions.create(noun)}
            </ActionLink>
          )}
        </div>
      </header>
      <search className="filters">
        <label className="find">
          <Icon name="find" />
          <span className="visually-hidden">{texts.list.find(noun)}</span>
          <input
            className="input"
            type="search"
            data-shortcut="find"
            placeholder={texts.list.find(noun)}
            defaultValue={find}
            onChange={(event) => filter({ find: event.target.value })}
          />
        </label>
        {filters.map((one) => (
          <FilterControl
            key={one.name}
            filter={one}
            value={chosen[one.name] ?? ''}
            onChange={(value) => filter({ [one.name]: value })}
          />
        ))}
        {hasFilter && (
          <ActionLink to={listAddress} tone="quiet">
            {texts.actions.clear}
          </ActionLink>
        )}
      </search>
      {isRejected && <p className="remark">{texts.states.cursor}</p>}
      {isWhole && answer?.metadata.next_page && <p className="remark">{texts.states.firstThousand}</p>}
      {read.isError && answer && (
        <p className="remark" role="status">
          {texts.states.stale} <Time value={new Date(read.dataUpdatedAt).toISOString()} />
        </p>
      )}
      <LiveNotice {...live} />
      <BulkBar
        collection={collection}
        params={params}
        rows={[...selected.values()]}
        titleOfRow={titleOfRow}
        onClear={() => setSelected(new Map())}
      />
      {read.isLoading && <Loading rows={10} />}
      {read.isError && !answer && <Failed problem={read.error} onRetry={() => void read.refetch()} />}
      {answer && rows.length === 0 && hasFilter && (
        <Empty
          title={texts.states.noMatch(noun)}
          action={<ActionLink to={listAddress}>{texts.actions.clear}</ActionLink>}
        >
          {Object.keys(chosen).length > 0 && texts.states.noMatchHint}
        </Empty>
      )}
      {answer && rows.length === 0 && !hasFilter && (
        <Empty
          title={texts.states.empty(noun)}
          action={
            canCreate && (
              <ActionLink to={`${listAddress}/new`} tone="primary" icon="add">
                {texts.actions.create(noun)}
              </ActionLink>
            )
          }
        >
          {texts.purpose[noun]}
        </Empty>
      )}
      {rows.length > 0 && (
        <>
          <RowTable
            label={texts.many(noun)}
            columns={columns}
            rows={rows}
            states={states}
            opens={collection.opens ?? ((row) => `${listAddress}/${row.id}`)}
            sorting={sorting}
            selection={
              isSelectable ? { ids: new Set(selected.keys()), isFull: selected.size >= maxSelected, toggle } : undefined
            }
            onSort={
              isSortable
                ? (field) => {
                    const isSame = sorting?.field === field
                    const next = isSame ? (sorting.isDescending ? null : `-${field}`) : field
                    change({ sort: next, part: null, page_cursor: null })
                  }
                : undefined
            }
          />
          <Pager
            shown={rows.length}
            total={total}
            onPrevious={pages.previous && (() => turn(pages.previous ?? {}))}
            onNext={pages.next && (() => turn(pages.next ?? {}))}
          />
        </>
      )}
    </>
  )
}
