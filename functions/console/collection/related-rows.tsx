import { type ReactNode, useMemo, useState } from 'react'
import type { CalledRoute } from '../client/api-types.ts'
import { useRead } from '../client/queries.ts'
import { ActionLink } from '../parts/controls.tsx'
import { Empty, ReadState } from '../parts/states.tsx'
import { hasScope, useSession } from '../session/session.ts'
import type { Noun } from '../texts/texts.ts'
import { texts } from '../texts/texts.ts'
import type { Column, RelatedList, Row, State } from './collection.ts'
import { LiveNotice, useLiveRows } from './live-rows.tsx'
import { Pager, RowTable } from './row-table.tsx'

type RowsProps = {
  noun: Noun
  list: CalledRoute
  path: Record<string, string>
  query?: Record<string, unknown> | undefined
  columns?: Column<Row>[]
  states?: ((row: Row) => State[]) | undefined
  opens?: ((row: Row) => string) | undefined
  actions?: (row: Row) => ReactNode
  /** Buttons above the rows. */
  tools?: ReactNode
  hint?: string | undefined
  /** Converts an element of the list to a row with an `id`. It must not change between renderings. */
  toRow?: (element: never, index: number) => Row
  /** Shows the rows of a page in the place of a table. */
  render?: (rows: Row[], total: number | null) => ReactNode
  /** Returns the milliseconds until the next read of a list that changes by itself. */
  every?: (rows: Row[]) => number | false
}

type Answer = { data: Row[]; metadata: { next_page: string | null; prev_page: string | null; total?: number | null } }

/** Pages of a list within another page. */
export function PagedRows({ noun, list, path, query, tools, hint, columns = [], ...more }: RowsProps) {
  const { toRow, render, every, ...table } = more
  const [cursor, setCursor] = useState<string>()
  const paged = { ...query, limit: 50, ...(cursor && { page_cursor: cursor }) }
  const read = useRead(list as 'GET /sites', {
    path: path as never,
    query: paged,
    keep: true,
    ...(every && { every: ({ data }) => every(data as unknown as Row[]) }),
  })
  const answer = read.data?.answer as unknown as Answer | undefined
  const current = useMemo(() => (toRow ? (answer?.data as never[])?.map(toRow) : answer?.data), [answer, toRow])
  const live = useLiveRows(JSON.stringify([path, paged]), current, read.isFetching)
  if (!answer) return <ReadState read={read} rows={4} />
  const { prev_page, next_page, total = null } = answer.metadata
  const { rows } = live
  return (
    <>
      {tools && <div className="part-tools">{tools}</div>}
      <LiveNotice {...live} />
      {rows.length === 0 && <Empty title={texts.none(noun)}>{hint}</Empty>}
      {rows.length > 0 &&
        (render?.(rows, total) ?? <RowTable label={texts.many(noun)} rows={rows} columns={columns} {...table} />)}
      <Pager
        shown={rows.length}
        total={total}
        onPrevious={prev_page ? () => setCursor(prev_page) : null}
        onNext={next_page ? () => setCursor(next_page) : null}
      />
    </>
  )
}

/** Related list of a detail. */
export function RelatedRows({ part, row }: { part: RelatedList; row: Row }) {
  const session = useSession()
  const canCreate = part.creates && hasScope(session, part.scope, 'write')
  return (
    <PagedRows
      noun={part.noun}
      list={part.list}
      path={part.path?.(row) ?? {}}
      query={part.query?.(row)}
      columns={part.columns}
      states={part.states}
      opens={part.opensIn ? (one) => part.opensIn?.(row, one) ?? '' : part.opens}
      hint={part.hint}
      tools={
        (canCreate || part.explains) && (
          <>
            {part.explains && <ActionLink to={part.explains(row)}>{texts.explorer.openHere}</ActionLink>}
            {canCreate && (
              <ActionLink to={part.creates?.(row) ?? ''} icon="add">
                {texts.actions.create(part.noun)}
              </ActionLink>
            )}
          </>
        )
      }
      {...(part.explains && {
        actions: (one: Row) => (
          <ActionLink to={part.explains?.(row, one) ?? ''} tone="quiet">
            {texts.explorer.explain}
          </ActionLink>
        ),
      })}
    />
  )
}
