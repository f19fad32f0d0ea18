import { sideBySide } from '#shared/core/work/side-by-side.ts'
import { data, family, operation } from '#shared/http/lambda.ts'
import { runSourceKinds, runSources } from '#shared/http/sync-sources.ts'
import { getShownRun } from '#shared/sync/runs/list-runs.ts'

/** Reads a run of a directory or an inventory (K11.G12). */
export const handler = family(runSourceKinds, (kind) => {
  const { path, one, scope, check, Run } = runSources[kind]
  return operation(
    `GET ${path}/runs/{run_id}`,
    { family: 'sync_sources', summary: `Show a run of ${one}`, permission: `${scope}:read`, response: data(Run) },
    async ({ accountId, params }) => {
      const [, run] = await sideBySide(check(accountId, params.id), getShownRun(accountId, params.id, params.run_id))
      return { data: run }
    },
  )
})
