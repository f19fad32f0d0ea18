import type { DirectoryKind } from '../domain/directories/directory.ts'
import { directoryInfos } from '../sync/directories/directory-info.ts'
import { DirectoryRun } from '../sync/runs/run.ts'
import { requestRun } from '../sync/sources/request-run.ts'
import { item, titles } from './directory-reads.ts'
import { data } from './envelope.ts'
import { operation } from './operation.ts'

/** The operations that begin runs of directories of any kind (I4.1). */

const refusals = ['feature_not_enabled', 'sync_running'] as const

export const syncDirectory = (kind: DirectoryKind) =>
  operation(
    {
      method: 'POST',
      path: `${item(kind)}/sync`,
      summary: `Synchronize ${titles[kind].one} now`,
      permission: 'directories:write',
      refusals: [...refusals, 'sync_disabled'],
      response: data(DirectoryRun),
      status: 202,
    },
    async ({ accountId, params }) => ({
      data: await requestRun(directoryInfos[kind], accountId, params.id, { preview: false }),
    }),
  )

export const previewDirectory = (kind: DirectoryKind) =>
  operation(
    {
      method: 'POST',
      path: `${item(kind)}/preview`,
      summary: `Preview what a run of ${titles[kind].one} would change`,
      permission: 'directories:write',
      refusals,
      response: data(DirectoryRun),
      status: 202,
    },
    async ({ accountId, params }) => ({
      data: await requestRun(directoryInfos[kind], accountId, params.id, { preview: true }),
    }),
  )
