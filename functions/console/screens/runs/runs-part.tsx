import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { CalledRoute } from '../../client/api-types.ts'
import { type Problem, toProblem } from '../../client/problem.ts'
import { refreshAll } from '../../client/queries.ts'
import { send } from '../../client/request.ts'
import type { OwnPart, Row } from '../../collection/collection.ts'
import { PagedRows } from '../../collection/related-rows.tsx'
import { RowTable, StateBadges } from '../../collection/row-table.tsx'
import { ActionButton } from '../../parts/controls.tsx'
import { Failed } from '../../parts/states.tsx'
import { hasScope, useSession } from '../../session/session.ts'
import { texts } from '../../texts/texts.ts'
import {
  type ChangeCounts,
  changeKinds,
  changesOfRun,
  type Run,
  type RunSource,
  runStates,
  totalOf,
} from './run-source.ts'

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
  const widths = changeKinds.map((change) => (100 * counts[change]) / largest)
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

const isRunning = ({ finished_at }: Row): boolean => finished_at === null

type TableProps = { rows: Row[]; addressOf: (run: Row) => string }

function RunTable({ rows, addressOf }: TableProps) {
  const totals = new Map(rows.map((row) => [row.id, totalOf(changesOfRun(row as unknown as Run))]))
  const largest = Math.max(1, ...totals.values().map((total) => total.insert + total.update + total.delete))
  useRefreshAtEnd(rows.some(isRunning))
  const changes = ({ id }: Row) => {
    const counts = totals.get(id) ?? totalOf({})
    return (
      <div className="run-changes">
        <Bar counts={counts} largest={largest} />
        <span className={counts.delete > 0 ? undefined : 'minor'}>{texts.run.changes(counts)}</span>
      </div>
    )
  }
  return (
    <RowTable
      label={texts.many('runs')}
      columns={[
        { field: 'started_at', kind: 'instant', label: texts.run.started },
        { field: 'state', render: (row) => <StateBadges states={runStates(row as unknown as Run)} /> },
        { field: 'changes', render: changes },
      ]}
      rows={rows}
      opens={addressOf}
    />
  )
}

/** Part with the runs of a source. */
export const runsOf = (source: RunSource): OwnPart => ({
  key: 'runs',
  noun: 'runs',
  scope: source.scope,
  render: ({ row }) => <RunsPart source={source} row={row} />,
})

/** Runs of a source as bars, newest first, with the actions that start one. */
function RunsPart({ source, row }: { source: RunSource; row: Row }) {
  const session = useSession()
  const [, navigate] = useLocation()
  const [problem, setProblem] = useState<Problem>()
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
  return (
    <>
      {problem && <Failed problem={problem} />}
      <PagedRows
        noun="runs"
        list={source.routes.runs}
        path={{ id: row.id }}
        every={(rows) => (rows.some(isRunning) ? runInterval : false)}
        render={(rows) => <RunTable rows={rows} addressOf={addressOf} />}
        hint={texts.run.previewHint}
        tools={
          hasScope(session, source.scope, 'write') && (
            <>
              {!row.is_disabled && (
                <ActionButton onPress={() => void start(source.routes.sync)}>{texts.run.sync}</ActionButton>
              )}
              <ActionButton
                tone={row.is_disabled ? 'primary' : 'plain'}
                onPress={() => void start(source.routes.preview)}
              >
                {texts.run.preview}
              </ActionButton>
            </>
          )
        }
      />
    </>
  )
}
