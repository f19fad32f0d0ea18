import { useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { CalledRoute } from '../../client/api-types.ts'
import { type Problem, toProblem } from '../../client/problem.ts'
import { refreshAll, useRead } from '../../client/queries.ts'
import { send } from '../../client/request.ts'
import type { Row } from '../../collection/collection.ts'
import { Pager, StateBadges } from '../../collection/row-table.tsx'
import { ActionButton } from '../../parts/controls.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { hasScope, useSession } from '../../session/session.ts'
import { texts } from '../../texts/texts.ts'
import { type ChangeCounts, changesOfRun, type Run, type RunSource, runStates, totalOf } from './run-source.ts'

/** Milliseconds between two reads of a run that is in progress. */
export const runInterval = 3000

/** Refetches all objects when a run ends, because it changes its source and many others. */
export function useRefreshAtEnd(isRunning: boolean): void {
  const wasRunning = useRef(false)
  useEffect(() => {
    if (wasRunning.current && !isRunning) void refreshAll()
    wasRunning.current = isRunning
  }, [isRunning])
}

/** Bar of the changes of a run, as a share of the largest run in the list. The text beside it has the numbers. */
function Bar({ counts, largest }: { counts: ChangeCounts; largest: number }) {
  const widths = (['insert', 'update', 'delete'] as const).map((change) => (100 * counts[change]) / largest)
  const [inserted = 0, updated = 0, deleted = 0] = widths
  return (
    <svg className="run-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect className="track" width="100" height="8" />
      <rect className="insert" width={inserted} height="8" />
      <rect className="update" x={inserted} width={updated} height="8" />
      <rect className="delete" x={inserted + updated} width={deleted} height="8" />
    </svg>
  )
}

const isRunning = ({ finished_at }: { finished_at: string | null }): boolean => finished_at === null

type TableProps = { runs: Run[]; addressOf: (run: Run) => string }

function RunTable({ runs, addressOf }: TableProps) {
  const totals = runs.map((run) => totalOf(changesOfRun(run)))
  const largest = Math.max(1, ...totals.map((total) => total.insert + total.update + total.delete))
  return (
    <div className="table-frame">
      <table className="rows" aria-label={texts.many('runs')}>
        <thead>
          <tr>
            {[texts.run.started, texts.state, texts.many('changes')].map((label) => (
              <th scope="col" key={label}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {runs.map((run, index) => {
            const counts = totals[index] ?? totalOf({})
            return (
              <tr key={run.id}>
                <td data-label={texts.run.started}>
                  <Link href={addressOf(run)} className="row-link">
                    <Time value={run.started_at} exact />
                  </Link>
                </td>
                <td data-label={texts.state}>
                  <StateBadges states={runStates(run)} />
                </td>
                <td data-label={texts.many('changes')} className="run-changes">
                  <Bar counts={counts} largest={largest} />
                  <span className={counts.delete > 0 ? undefined : 'minor'}>{texts.run.changes(counts)}</span>
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

/** Runs of a source as bars, newest first, with the actions that start one. */
export function RunsPart({ source, row }: { source: RunSource; row: Row }) {
  const session = useSession()
  const [, navigate] = useLocation()
  const [cursor, setCursor] = useState<string>()
  const [problem, setProblem] = useState<Problem>()
  const read = useRead(source.routes.runs as 'GET /idp_directories/{id}/runs', {
    path: { id: row.id },
    query: { limit: 25, ...(cursor && { page_cursor: cursor }) },
    keep: true,
    every: ({ data }) => (data.some(isRunning) ? runInterval : false),
  })
  useRefreshAtEnd(read.data?.answer.data.some(isRunning) ?? false)
  const addressOf = ({ id }: { id: string }) => `${source.address}/${row.id}/runs/${id}`
  const start = async (route: CalledRoute) => {
    setProblem(undefined)
    try {
      const { answer } = await send(route as 'POST /idp_directories/{id}/preview', { path: { id: row.id } })
      navigate(addressOf(answer.data))
      await refreshAll()
    } catch (error) {
      setProblem(toProblem(error))
    }
  }
  if (read.isLoading) return <Loading rows={4} />
  if (!read.data) return read.error && <Failed problem={read.error} onRetry={() => void read.refetch()} />
  const { data, metadata } = read.data.answer
  const canStart = hasScope(session, source.scope, 'write')
  return (
    <>
      {canStart && (
        <div className="part-tools">
          {!row.is_disabled && (
            <ActionButton onPress={() => void start(source.routes.sync)}>{texts.run.sync}</ActionButton>
          )}
          <ActionButton tone={row.is_disabled ? 'primary' : 'plain'} onPress={() => void start(source.routes.preview)}>
            {texts.run.preview}
          </ActionButton>
        </div>
      )}
      {problem && <Failed problem={problem} />}
      {data.length === 0 ? (
        <Empty title={texts.none('runs')}>{texts.run.previewHint}</Empty>
      ) : (
        <RunTable runs={data} addressOf={addressOf} />
      )}
      <Pager
        shown={data.length}
        total={metadata.total}
        onPrevious={metadata.prev_page ? () => setCursor(metadata.prev_page ?? undefined) : null}
        onNext={metadata.next_page ? () => setCursor(metadata.next_page ?? undefined) : null}
      />
    </>
  )
}
