import { type ComponentType, type ReactNode, useEffect, useMemo, useState } from 'react'
import type { CalledRoute } from '../client/api-types.ts'
import { useRead } from '../client/queries.ts'
import type { Column, Row } from '../collection/collection.ts'
import { ExportButton } from '../collection/export-button.tsx'
import { useListAddress, useRejectedCursor } from '../collection/list-address.ts'
import { LiveNotice, useLiveRows } from '../collection/live-rows.tsx'
import { Pager, RowTable } from '../collection/row-table.tsx'
import { ActionButton, ActionLink } from '../parts/controls.tsx'
import { PageHeader, usePageTitle } from '../parts/page.tsx'
import { Empty, ReadState } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { type Noun, texts } from '../texts/texts.ts'
import { type Chosen, type LogFilter, LogFilters } from './log-filters.tsx'
import { lastHours } from './window.ts'

/** Declaration of the screen of a log. */
export type Log = {
  /** Name of the log, also in its address. */
  noun: Noun
  list: CalledRoute
  query: Record<string, unknown>
  filters: LogFilter[]
  /** Columns of the export, and of the table unless `Rows` shows the entries. */
  columns: Column<Row>[]
  /** Converts an entry to a row with an `id`. */
  toRow: (entry: never) => Row
  Rows?: ComponentType<{ rows: Row[] }>
  /** Part above the entries, such as a plot of them. */
  Above?: ComponentType<AboveProps>
  opens?: (row: Row) => string
  actions?: (row: Row) => ReactNode
  /** Type in the command that exports more rows than a page can (K5.3). */
  exportType?: 'change' | 'session' | 'api_request'
  /** Names in the address that `Above` uses. */
  more?: LogFilter[]
  /** Hours of the window that an address without one gets. */
  hours?: number
  hint?: string
}

export type AboveProps = { chosen: Chosen; query: Record<string, unknown>; onChange: (changes: Chosen) => void }

type Answer = {
  data: never[]
  metadata: { next_page: string | null; prev_page: string | null; read_until?: string | null }
}

/** Query of a log for the filters in its address. */
const queryOf = (filters: LogFilter[], chosen: Chosen): Record<string, unknown> =>
  Object.fromEntries(
    filters.map(({ name, sends = name }) => [sends, chosen[name]] as const).filter(([, value]) => value),
  )

const windowFilters: LogFilter[] = [{ name: 'begin' }, { name: 'end' }]

/** Entries of a log, newest first, with filters, pages and an export. A filtered page can end early, and no page loads by itself (K8.5). */
export function LogScreen({ log }: { log: Log }) {
  const { noun, list, filters, columns, toRow, Rows, Above } = log
  const address = `/${noun}`
  const named = [...filters, ...windowFilters, ...(log.more ?? [])]
  const { cursor, chosen, change, filter, turn } = useListAddress(named)
  const sent = queryOf([...filters, ...windowFilters], chosen)
  const query = { ...log.query, ...sent }
  const paged = { limit: 50, ...query, ...(cursor && { page_cursor: cursor }) }
  const isReady = !log.hours || chosen.begin != null || chosen.end != null
  const read = useRead(list as 'GET /logs', { path: {}, query: paged, keep: true, enabled: isReady })
  const answer = read.data?.answer as unknown as Answer | undefined
  const current = useMemo(() => answer?.data.map(toRow), [answer, toRow])
  const live = useLiveRows(JSON.stringify(paged), current, read.isFetching)
  const { rows } = live
  const isRejected = useRejectedCursor(read.error, change)
  const [isCut, setCut] = useState(false)
  usePageTitle(texts.many(noun))
  useEffect(() => {
    if (!isReady && log.hours) change(lastHours(log.hours, Date.now()))
  })
  /** Sets filters, and clears others that requests send by the same name. */
  const choose = (changes: Chosen) => {
    const sends = filters.flatMap((one) => (one.sends && changes[one.name] ? [one.sends] : []))
    const rivals = filters.filter((one) => one.sends && sends.includes(one.sends))
    filter({ ...Object.fromEntries(rivals.map(({ name }) => [name, null])), ...changes })
  }
  const { next_page, prev_page, read_until } = answer?.metadata ?? {}
  const isFiltered = Object.keys(chosen).length > 0
  const searchBack = next_page && read_until && (
    <ActionButton onPress={() => turn({ page_cursor: next_page })}>{texts.logs.searchBack}</ActionButton>
  )
  return (
    <>
      <PageHeader title={texts.many(noun)}>
        {rows.length > 0 && (
          <ExportButton noun={noun} list={{ route: list, path: {}, query, columns, toRow }} onSaved={setCut} />
        )}
      </PageHeader>
      <LogFilters filters={filters} chosen={chosen} address={address} onChange={choose} />
      {isRejected && <p className="remark">{texts.states.cursor}</p>}
      {isCut && (
        <p className="remark">
          {texts.states.csvLimit} {log.exportType && <code>{texts.logs.exportCommand(log.exportType, chosen)}</code>}
        </p>
      )}
      {Above && isReady && <Above chosen={chosen} query={sent} onChange={choose} />}
      <LiveNotice {...live} />
      <ReadState read={read} rows={10} />
      {answer && rows.length === 0 && (
        <Empty
          title={isFiltered ? texts.states.noMatch(noun) : texts.states.empty(noun)}
          action={searchBack || (isFiltered && <ActionLink to={address}>{texts.actions.clear}</ActionLink>)}
        >
          {read_until ? (
            <>
              {texts.logs.readUntil} <Time value={read_until} exact />
            </>
          ) : (
            log.hint
          )}
        </Empty>
      )}
      {rows.length > 0 && (
        <>
          {Rows ? (
            <Rows rows={rows} />
          ) : (
            <RowTable
              label={texts.many(noun)}
              columns={columns}
              rows={rows}
              opens={log.opens}
              {...(log.actions && { actions: log.actions })}
            />
          )}
          {searchBack && read_until && (
            <p className="remark">
              {texts.logs.readUntil} <Time value={read_until} exact /> {searchBack}
            </p>
          )}
        </>
      )}
      <Pager
        shown={rows.length}
        total={null}
        onPrevious={prev_page ? () => turn({ page_cursor: prev_page }) : null}
        onNext={next_page && !searchBack ? () => turn({ page_cursor: next_page }) : null}
      />
    </>
  )
}
