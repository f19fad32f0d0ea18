import { useQueries } from '@tanstack/react-query'
import type { CalledRoute } from '../../client/api-types.ts'
import type { Problem } from '../../client/problem.ts'
import { send } from '../../client/request.ts'
import type { Column, Row, State } from '../../collection/collection.ts'
import { RowTable } from '../../collection/row-table.tsx'
import { ActionLink } from '../../parts/controls.tsx'
import { usePageTitle } from '../../parts/page-title.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { hasScope, useSession } from '../../session/session.ts'
import { optionOf, texts } from '../../texts/texts.ts'
import { directoryKinds, sourceStates } from '../directories/directories.tsx'
import { providerKinds, providerStates } from './providers.tsx'

type Props = {
  noun: 'providers' | 'directories'
  lists: ReadonlyArray<readonly [kind: string, list: CalledRoute]>
  columns: Column<Row>[]
  states: (row: Row) => State[]
}

/** Objects of all kinds in one list. An account has few of them, so the list has no pages. */
function KindList({ noun, lists, columns, states }: Props) {
  const session = useSession()
  const query = { limit: 1000 }
  const reads = useQueries({
    queries: lists.map(([, list]) => ({
      queryKey: [list, {}, query],
      queryFn: () => send(list as 'GET /sites', { path: {}, query }),
    })),
  })
  const rows = reads.flatMap(({ data }, index) =>
    ((data?.answer.data ?? []) as unknown as Row[]).map((row) => ({ ...row, kind: lists[index]?.[0] })),
  )
  const failed = reads.find(({ error }) => error)
  usePageTitle(texts.many(noun))
  return (
    <>
      <header className="page-header">
        <h1>
          {texts.many(noun)}
          <span className="total">{texts.number(rows.length)}</span>
        </h1>
      </header>
      {reads.some(({ isLoading }) => isLoading) && <Loading rows={4} />}
      {failed?.error && <Failed problem={failed.error as Problem} onRetry={() => void failed.refetch()} />}
      {rows.length > 0 && (
        <RowTable
          label={texts.many(noun)}
          columns={columns}
          rows={rows}
          states={states}
          opens={(row) => `/${noun}/${row.kind}/${row.id}`}
        />
      )}
      {rows.length === 0 && reads.every(({ isSuccess }) => isSuccess) && (
        <Empty title={texts.states.empty(noun)}>{texts.purpose[noun]}</Empty>
      )}
      {hasScope(session, noun, 'write') && (
        <section className="kinds">
          <h2>{texts.actions.create(noun)}</h2>
          <div className="kind-links">
            {lists.map(([kind]) => (
              <ActionLink key={kind} to={`/${noun}/${kind}/new`} icon="add">
                {optionOf('kind', kind)}
              </ActionLink>
            ))}
          </div>
        </section>
      )}
    </>
  )
}

const first: Column<Row>[] = [{ field: 'name' }, { field: 'kind', kind: 'option' }]

export const ProviderList = () => (
  <KindList
    noun="providers"
    lists={providerKinds.map((kind) => [kind, `GET /${kind}_auth_providers`] as const)}
    columns={[...first, { field: 'context', kind: 'option' }, { field: 'issuer', kind: 'code', minor: true }]}
    states={providerStates}
  />
)

export const DirectoryList = () => (
  <KindList
    noun="directories"
    lists={directoryKinds.map((kind) => [kind, `GET /${kind}_directories`] as const)}
    columns={[...first, { field: 'synced_at', kind: 'time' }]}
    states={sourceStates}
  />
)
