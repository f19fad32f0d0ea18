import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { refreshAll, useRead } from '../../client/queries.ts'
import { send } from '../../client/request.ts'
import type { Row } from '../../collection/collection.ts'
import { ConfirmDialog } from '../../collection/confirm-dialog.tsx'
import { FactList } from '../../collection/facts.tsx'
import { RowTable, StateBadges } from '../../collection/row-table.tsx'
import { titleOf } from '../../collection/values.tsx'
import { ActionButton } from '../../parts/controls.tsx'
import { notify } from '../../parts/notice.tsx'
import { PageHeader, usePageTitle } from '../../parts/page.tsx'
import { ShownText } from '../../parts/shown-text.tsx'
import { NotFound, ReadState } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { hasScope, useSession } from '../../session/session.ts'
import { labelOf, texts } from '../../texts/texts.ts'
import { RunChanges } from './run-changes.tsx'
import { canRewind, changesOfRun, effectsOf, isPlan, type Run, type RunSource, runStates } from './run-source.ts'
import { runInterval, useRefreshAtEnd } from './runs-part.tsx'

/** Numbers of a run by kind of object: objects read, and changes of its plan or that it has made. */
function Counts({ run }: { run: Run }) {
  const title = isPlan(run) ? texts.run.plan : texts.run.made
  const { kinds, object, seen } = texts.run
  return (
    <section>
      <h2>{title}</h2>
      <RowTable
        label={title}
        hasNumbers
        columns={Object.entries({ object, seen, ...kinds }).map(([field, label]) => ({ field, label }))}
        rows={Object.entries(changesOfRun(run)).map(([id, counts]) => {
          const numbers = Object.entries({ seen: run.seen[id] ?? 0, ...counts })
          const shown = numbers.map(([name, count]) => [name, texts.number(count)])
          return { id, object: labelOf(id), ...Object.fromEntries(shown) }
        })}
      />
    </section>
  )
}

function SkippedEntries({ skipped, skipped_sample: sample }: Run) {
  const reasons = Object.entries(skipped as Record<string, number>)
  if (reasons.length === 0) return null
  return (
    <section>
      <h2>{texts.run.skipped}</h2>
      <ul className="panel-list">
        {reasons.map(([reason, count]) => (
          <li key={reason}>
            {labelOf(reason)}: {texts.number(count)}
          </li>
        ))}
      </ul>
      <details>
        <summary>{texts.run.sample(sample.length)}</summary>
        <ul className="panel-list">
          {sample.map(({ idp_id, name, reason }) => (
            <li key={`${reason} ${idp_id}`}>
              <ShownText text={name ?? idp_id} /> <span className="minor">{labelOf(reason)}</span>
            </li>
          ))}
        </ul>
      </details>
    </section>
  )
}

type Decision = 'enable' | 'accept' | 'rewind'

type ActionsProps = { source: RunSource; run: Run; row: Row; etag: string | null; addressOf: (id: string) => string }

/** Decisions that a run permits: to enable a source after its preview, to accept deletions, or to rewind. */
function Actions({ source, run, row, etag, addressOf }: ActionsProps) {
  const [, navigate] = useLocation()
  const [chosen, setChosen] = useState<Decision>()
  const { id } = row
  const isCurrentError = run.outcome === 'stopped' && row.is_disabled === true && row.error === run.error
  const decisions: Decision[] = [
    ...(run.outcome === 'previewed' && row.is_disabled ? ['enable' as const] : []),
    ...(isCurrentError ? ['accept' as const] : []),
    ...(source.routes.rewind && canRewind(run, Date.now()) ? ['rewind' as const] : []),
  ]
  const change = async (fields: object) => {
    const options = { path: { id }, body: { [source.envelope]: fields }, ifMatch: etag ?? undefined }
    await send(source.routes.update as 'PATCH /idp_directories/{id}', options as never)
    navigate(`${source.address}/${id}`)
  }
  const perform: Record<Decision, () => Promise<void>> = {
    enable: () => change({ is_disabled: false }),
    accept: () => change({ accept_deletions: true, is_disabled: false }),
    rewind: async () => {
      const route = source.routes.rewind as 'POST /idp_directories/{id}/runs/{run_id}/rewind'
      const { answer } = await send(route, { path: { id, run_id: run.id } })
      navigate(addressOf(answer.data.id))
    },
  }
  const changes = changesOfRun(run)
  const words = chosen && texts.run.decisions[chosen]
  return (
    <>
      {decisions.map((decision) => (
        <ActionButton
          key={decision}
          tone={decision === 'enable' ? 'primary' : 'danger'}
          onPress={() => setChosen(decision)}
        >
          {texts.run.decisions[decision].label}
        </ActionButton>
      ))}
      {chosen && words && (
        <ConfirmDialog
          title={`${words.label}: ${titleOf(row)}`}
          verb={words.verb}
          name={titleOf(row)}
          effects={chosen === 'rewind' ? effectsOf(changes, { delete: texts.run.effects.restore }) : effectsOf(changes)}
          typesName={chosen === 'accept'}
          row={row}
          isDanger={chosen !== 'enable'}
          onConfirm={async () => {
            await perform[chosen]()
            notify(words.done)
            await refreshAll()
          }}
          onClose={() => setChosen(undefined)}
        >
          <ul className="hints">
            {words.hints.map((hint) => (
              <li key={hint}>{hint}</li>
            ))}
          </ul>
        </ConfirmDialog>
      )}
    </>
  )
}

/** Run of a directory or an inventory: its result, the decisions that it permits, and its changes. */
export function RunScreen({ source }: { source: RunSource }) {
  const session = useSession()
  const path = useParams<{ id: string; run_id: string }>()
  const owner = useRead(source.routes.read as 'GET /idp_directories/{id}', { path: { id: path.id } })
  const read = useRead(source.routes.run as 'GET /idp_directories/{id}/runs/{run_id}', {
    path,
    every: ({ data }) => (data.finished_at === null ? runInterval : false),
  })
  const back = `${source.address}/${path.id}`
  const run = read.data?.answer.data as Run | undefined
  const row = owner.data?.answer.data as Row | undefined
  const title = texts.run.title(run?.rewinds ? 'rewind' : run?.outcome === 'previewed' ? 'preview' : 'sync')
  usePageTitle(title)
  useRefreshAtEnd(run?.finished_at === null)
  if (read.error?.namesNothing)
    return (
      <NotFound to={back} name={texts.many('runs')}>
        {texts.run.gone}
      </NotFound>
    )
  if (!run) return <ReadState title={title} read={read} rows={8} />
  const addressOf = (id: string) => `${back}/runs/${id}`
  return (
    <>
      <PageHeader
        back={{ to: back, name: row ? <ShownText text={String(row.name)} /> : texts.many('runs') }}
        title={title}
        badges={<StateBadges states={runStates(run).filter(({ text }) => text !== title)} />}
      >
        {row && hasScope(session, source.scope, 'write') && (
          <Actions source={source} run={run} row={row} etag={owner.data?.etag ?? null} addressOf={addressOf} />
        )}
      </PageHeader>
      {run.error && (
        <div className="failed">
          <p>
            <ShownText text={run.error} />
          </p>
          {run.outcome === 'stopped' && <p>{texts.run.brake}</p>}
        </div>
      )}
      <div className="panels">
        <FactList
          facts={{
            [texts.run.started]: <Time value={run.started_at} exact />,
            [texts.run.finished]: run.finished_at ? (
              <Time value={run.finished_at} exact />
            ) : (
              texts.run.phases[run.phase]
            ),
            [texts.run.rewinds]: run.rewinds && (
              <Link href={addressOf(run.rewinds)}>
                <code>{run.rewinds}</code>
              </Link>
            ),
            ID: <code>{run.id}</code>,
          }}
        />
        {run.finished_at && <Counts run={run} />}
        <SkippedEntries {...run} />
        {run.finished_at && <RunChanges route={source.routes.changes} path={path} />}
      </div>
    </>
  )
}
