import { family, list, operation } from '#shared/http/lambda.ts'
import { runSourceKinds, runSources } from '#shared/http/sync-sources.ts'
import { rewindPlan } from '#shared/sync/rewind/rewind-plan.ts'
import { listChanges } from '#shared/sync/runs/list-runs.ts'
import { RunChange } from '#shared/sync/runs/run.ts'
import { getRun } from '#shared/sync/runs/run-store.ts'

export const handler = family(runSourceKinds, (kind) => {
  const { path, one, scope, check, plan } = runSources[kind]
  return operation(
    `GET ${path}/runs/{run_id}/changes`,
    {
      family: 'sync_sources',
      summary: `List the changes of a run of ${one}`,
      permission: `${scope}:read`,
      filters: {},
      response: list(RunChange),
    },
    async ({ accountId, params, page }) => {
      await check(accountId, params.id)
      const run = await getRun(accountId, params.id, params.run_id)
      return listChanges(run, run.rewinds === null ? plan : rewindPlan, page)
    },
  )
})
