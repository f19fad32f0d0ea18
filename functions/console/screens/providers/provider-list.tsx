import { useQueries } from '@tanstack/react-query'
import type { Problem } from '../../client/problem.ts'
import { send } from '../../client/request.ts'
import type { Column, Row } from '../../collection/collection.ts'
import { RowTable } from '../../collection/row-table.tsx'
import { ActionLink } from '../../parts/controls.tsx'
import { usePageTitle } from '../../parts/page-title.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { hasScope, useSession } from '../../session/session.ts'
import { optionOf, texts } from '../../texts/texts.ts'
import { providerKinds, providerStates } from './providers.tsx'

const columns: Column<Row>[] = [
  { field: 'name' },
  { field: 'kind', kind: 'option' },
  { field: 'context', kind: 'option' },
  { field: 'issuer', kind: 'code', minor: true },
]

/** Auth providers of all kinds in one list. An account has few of them, so the list has no pages. */
export function ProviderList() {
  const session = useSession()
  const reads = useQueries({
    queries: providerKinds.map((kind) => ({
      queryKey: [`GET /${kind}_auth_providers`, {}, { limit: 1000 }],
      queryFn: () => send(`GET /${kind}_auth_providers`, { path: {}, query: { limit: 1000 } }),
    })),
  })
  const rows = reads.flatMap(({ data }, index) =>
    ((data?.answer.data ?? []) as unknown as Row[]).map((row) => ({ ...row, kind: providerKinds[index] })),
  )
  const failed = reads.find(({ error }) => error)
  usePageTitle(texts.many('providers'))
  return (
    <>
      <header className="page-header">
        <h1>
          {texts.many('providers')}
          <span className="total">{texts.number(rows.length)}</span>
        </h1>
      </header>
      {reads.some(({ isLoading }) => isLoading) && <Loading rows={4} />}
      {failed?.error && <Failed problem={failed.error as Problem} onRetry={() => void failed.refetch()} />}
      {rows.length > 0 && (
        <RowTable
          label={texts.many('providers')}
          columns={columns}
          rows={rows}
          states={providerStates}
          opens={(row) => `/providers/${row.kind}/${row.id}`}
        />
      )}
      {rows.length === 0 && reads.every(({ isSuccess }) => isSuccess) && (
        <Empty title={texts.states.empty('providers')}>{texts.purpose.providers}</Empty>
      )}
      {hasScope(session, 'providers', 'write') && (
        <section className="kinds">
          <h2>{texts.actions.create('providers')}</h2>
          <div className="kind-links">
            {providerKinds.map((kind) => (
              <ActionLink key={kind} to={`/providers/${kind}/new`} icon="add">
                {optionOf('kind', kind)}
              </ActionLink>
            ))}
          </div>
        </section>
      )}
    </>
  )
}
