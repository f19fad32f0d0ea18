import type { DirectoryKind } from '../domain/directories/directory.ts'
import { get } from '../domain/directories/read-directories.ts'
import { changeOf, type DirectorySection, directorySections } from '../sync/directories/plan/directory-plan.ts'
import { rewindPlan } from '../sync/rewind/rewind-plan.ts'
import { listRuns as runsOf } from '../sync/runs/list-runs.ts'
import { DirectoryRun, RunChange } from '../sync/runs/run.ts'
import { knownRun } from '../sync/runs/run-store.ts'
import { listChanges } from '../sync/sources/list-changes.ts'
import { item, titles } from './directory-reads.ts'
import { list } from './envelope.ts'
import { operation } from './operation.ts'

/** The operations that read runs of directories of any kind (I4.1), apart from those that begin them: reads load less. */

export const listRuns = (kind: DirectoryKind) =>
  operation(
    {
      method: 'GET',
      path: `${item(kind)}/runs`,
      summary: `List the runs of ${titles[kind].one}`,
      permission: 'directories:read',
      filters: {},
      response: list(DirectoryRun),
    },
    async ({ accountId, params, page }) => {
      await get(kind, accountId, params.id)
      return runsOf(accountId, params.id, page)
    },
  )

const plan = {
  sections: directorySections.map((name) => ({ name, perCommit: 0 })),
  changeOf: (section: string, entry: unknown) => changeOf(section as DirectorySection, entry as never),
}

export const listRunChanges = (kind: DirectoryKind) =>
  operation(
    {
      method: 'GET',
      path: `${item(kind)}/runs/{run_id}/changes`,
      summary: `List what a run of ${titles[kind].one} changes`,
      permission: 'directories:read',
      filters: {},
      response: list(RunChange),
    },
    async ({ accountId, params, page }) => {
      await get(kind, accountId, params.id)
      const run = await knownRun(accountId, params.id, params.run_id)
      return listChanges(run, run.rewinds === null ? plan : rewindPlan, page)
    },
  )
