import { useQueries } from '@tanstack/react-query'
import type { CalledRoute } from '../../client/api-types.ts'
import type { Problem } from '../../client/problem.ts'
import { send } from '../../client/request.ts'
import { type Column, type Row, type State, toColumns } from '../../collection/collection.ts'
import { RowTable } from '../../collection/row-table.tsx'
import { ActionLink } from '../../parts/controls.tsx'
import { PageHeader, usePageTitle } from '../../parts/page.tsx'
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
      <PageHeader title={texts.many(noun)} total={rows.length} />
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
          <div className="page-actions">
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

export const ProviderList = () => (
  <KindList
    noun="providers"
    lists={providerKinds.map((kind) => [kind, `GET /${kind}_auth_providers`] as const)}
    columns={toColumns('name, kind option, context option, issuer code minor')}
    states={providerStates}
  />
)

export const DirectoryList = () => (
  <KindList
    noun="directories"
    lists={directoryKinds.map((kind) => [kind, `GET /${kind}_directories`] as const)}
    columns={toColumns('name, kind option, synced_at time')}
    states={sourceStates}
  />
)
