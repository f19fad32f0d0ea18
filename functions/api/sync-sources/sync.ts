import { data, family, operation } from '#shared/http/lambda.ts'
import { runSourceKinds, runSources } from '#shared/http/sync-sources.ts'

export const handler = family(runSourceKinds, (kind) => {
  const { path, objects, scope, request, Run } = runSources[kind]
  return operation(
    `POST ${path}/sync`,
    {
      family: 'sync_sources',
      summary: `Synchronize ${objects} now`,
      permission: `${scope}:write`,
      refusals: ['feature_not_enabled', 'sync_running', 'sync_disabled'],
      response: data(Run),
      status: 202,
    },
    async ({ accountId, params }) => ({ data: await request(accountId, params.id, false) }),
  )
})
