import { type ComponentType, type ReactNode, useEffect, useMemo, useState } from 'react'
import type { CalledRoute } from '../client/api-types.ts'
import { toProblem } from '../client/problem.ts'
import { useRead } from '../client/queries.ts'
import type { Column, Row } from '../collection/collection.ts'
import { maxCsvRows } from '../collection/csv.ts'
import { exportRows } from '../collection/export-rows.ts'
import { useListAddress } from '../collection/list-screen.tsx'
import { LiveNotice, useLiveRows } from '../collection/live-rows.tsx'
import { Pager, RowTable } from '../collection/row-table.tsx'
import { ActionButton, ActionLink } from '../parts/controls.tsx'
import { notify } from '../parts/notice.tsx'
import { usePageTitle } from '../parts/page-title.ts'
import { saveFile } from '../parts/secret-dialog.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { hasScope, useSession } from '../session/session.ts'
import { type Noun, texts } from '../texts/texts.ts'
import { type Chosen, type LogFilter, LogFilters } from './log-filters.tsx'
import { lastHours } from './window.ts'

/** Declaration of the screen of a log. */
export type Log = {
  noun: Noun
  address: string
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
  const { noun, address, list, filters, columns, toRow, Rows, Above } = log
  const session = useSession()
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
  const [isRejected, setRejected] = useState(false)
  const [exported, setExported] = useState<number>()
  const [isCut, setCut] = useState(false)
  const isCursorRejected = read.error?.code === 'invalid_page_cursor'
  usePageTitle(texts.many(noun))
  useEffect(() => {
    if (!isReady && log.hours) change(lastHours(log.hours, Date.now()))
    if (!isCursorRejected) return
    setRejected(true)
    change({ page_cursor: null })
  })
  const exportCsv = async () => {
    setExported(0)
    try {
      const may = (name: string) => hasScope(session, name, 'read')
      const { text, count } = await exportRows({ route: list, path: {}, query, columns, toRow }, null, may, setExported)
      saveFile(`${noun}.csv`, text, 'text/csv;charset=utf-8')
      setCut(count === maxCsvRows)
    } catch (error) {
      notify(toProblem(error).message)
    }
    setExported(undefined)
  }
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
      <header className="page-header">
        <h1>{texts.many(noun)}</h1>
        <div className="page-actions">
          {rows.length > 0 && (
            <ActionButton onPress={() => void exportCsv()} isDisabled={exported !== undefined}>
              {exported === undefined ? texts.actions.csv : texts.states.exporting(exported)}
            </ActionButton>
          )}
        </div>
      </header>
      <LogFilters filters={filters} chosen={chosen} address={address} onChange={choose} />
      {isRejected && <p className="remark">{texts.states.cursor}</p>}
      {isCut && (
        <p className="remark">
          {texts.states.csvLimit} {log.exportType && <code>{texts.logs.exportCommand(log.exportType, chosen)}</code>}
        </p>
      )}
      {Above && isReady && <Above chosen={chosen} query={sent} onChange={choose} />}
      {read.isError && answer && (
        <p className="remark" role="status">
          {texts.states.stale} <Time value={new Date(read.dataUpdatedAt).toISOString()} />
        </p>
      )}
      <LiveNotice {...live} />
      {read.isLoading && <Loading rows={10} />}
      {read.isError && !answer && <Failed problem={read.error} onRetry={() => void read.refetch()} />}
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
