import { family, list, operation } from '#shared/http/lambda.ts'
import { runSourceKinds, runSources } from '#shared/http/sync-sources.ts'
import { listRuns } from '#shared/sync/runs/list-runs.ts'

export const handler = family(runSourceKinds, (kind) => {
  const { path, one, scope, check, Run } = runSources[kind]
  return operation(
    `GET ${path}/runs`,
    {
      family: 'sync_sources',
      summary: `List the runs of ${one}`,
      permission: `${scope}:read`,
      filters: {},
      response: list(Run),
    },
    async ({ accountId, params, page }) => {
      await check(accountId, params.id)
      return listRuns(accountId, params.id, page)
    },
  )
})
