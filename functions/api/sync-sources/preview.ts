import { data, family, operation } from '#shared/http/lambda.ts'
import { runSourceKinds, runSources } from '#shared/http/sync-sources.ts'

export const handler = family(runSourceKinds, (kind) => {
  const { path, one, scope, request, Run } = runSources[kind]
  return operation(
    `POST ${path}/preview`,
    {
      family: 'sync_sources',
      summary: `Preview what a run of ${one} would change`,
      permission: `${scope}:write`,
      refusals: ['feature_not_enabled', 'sync_running'],
      response: data(Run),
      status: 202,
    },
    async ({ accountId, params }) => ({ data: await request(accountId, params.id, true) }),
  )
})
