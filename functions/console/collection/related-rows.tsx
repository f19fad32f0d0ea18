import { type ReactNode, useState } from 'react'
import type { CalledRoute } from '../client/api-types.ts'
import { useRead } from '../client/queries.ts'
import { ActionLink } from '../parts/controls.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
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
  columns: Column<Row>[]
  states?: ((row: Row) => State[]) | undefined
  opens?: ((row: Row) => string) | undefined
  actions?: (row: Row) => ReactNode
  /** Buttons above the rows. */
  tools?: ReactNode
  hint?: string | undefined
}

type Answer = { data: Row[]; metadata: { next_page: string | null; prev_page: string | null; total?: number | null } }

/** Pages of a list within another page. */
export function PagedRows({ noun, list, path, query, columns, states, opens, actions, tools, hint }: RowsProps) {
  const [cursor, setCursor] = useState<string>()
  const paged = { ...query, limit: 50, ...(cursor && { page_cursor: cursor }) }
  const read = useRead(list as 'GET /sites', { path: path as never, query: paged, keep: true })
  const answer = read.data?.answer as unknown as Answer | undefined
  const live = useLiveRows(JSON.stringify([path, paged]), answer?.data, read.isFetching)
  if (read.isLoading) return <Loading rows={4} />
  if (!answer) return read.error && <Failed problem={read.error} onRetry={() => void read.refetch()} />
  const { metadata } = answer
  const data = live.rows
  return (
    <>
      {tools && <div className="part-tools">{tools}</div>}
      <LiveNotice {...live} />
      {data.length === 0 ? (
        <Empty title={texts.none(noun)}>{hint}</Empty>
      ) : (
        <RowTable
          label={texts.many(noun)}
          columns={columns}
          rows={data}
          states={states}
          opens={opens}
          {...(actions && { actions })}
        />
      )}
      <Pager
        shown={data.length}
        total={metadata.total ?? null}
        onPrevious={metadata.prev_page ? () => setCursor(metadata.prev_page ?? undefined) : null}
        onNext={metadata.next_page ? () => setCursor(metadata.next_page ?? undefined) : null}
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
