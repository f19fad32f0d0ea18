import { directoryKinds } from '#shared/domain/directories/directory.ts'
import { directoryTitles } from '#shared/http/kinds.ts'
import { data, family, operation } from '#shared/http/lambda.ts'
import { directoryInfos } from '#shared/sync/directories/directory-plan.ts'
import { requestRewind } from '#shared/sync/rewind/request-rewind.ts'
import { DirectoryRun } from '#shared/sync/runs/run.ts'

export const handler = family(directoryKinds, (kind) =>
  operation(
    `POST /${kind}_directories/{id}/runs/{run_id}/rewind`,
    {
      family: 'directories',
      summary: `Disable ${directoryTitles[kind].one} and restore what one of its runs deleted`,
      permission: 'directories:write',
      refusals: ['scope_exceeded', 'run_not_rewindable', 'sync_running'],
      response: data(DirectoryRun),
      status: 202,
    },
    ({ author, params }) => requestRewind(directoryInfos[kind], author, params.id, params.run_id),
  ),
)
