import type { DirectoryKind } from '../domain/directories/directory.ts'
import { directoryInfos } from '../sync/directories/directory-info.ts'
import { requestRewind } from '../sync/rewind/request-rewind.ts'
import { DirectoryRun } from '../sync/runs/run.ts'
import { item, titles } from './directory-reads.ts'
import { data } from './envelope.ts'
import { operation } from './operation.ts'

/** The operation that undoes what a run of a directory of any kind has deleted (I4.1(6)). */
export const rewindDirectoryRun = (kind: DirectoryKind) =>
  operation(
    {
      method: 'POST',
      path: `${item(kind)}/runs/{run_id}/rewind`,
      summary: `Disable ${titles[kind].one} and bring back what a run of it deleted`,
      permission: 'directories:write',
      refusals: ['scope_exceeded', 'run_not_rewindable', 'sync_running'],
      response: data(DirectoryRun),
      status: 202,
    },
    ({ author, params }) => requestRewind(directoryInfos[kind], author, params.id, params.run_id),
  )
