import { type DirectoryKind, directories } from '../domain/directories/directory.ts'
import { postureProviders } from '../domain/posture-providers/posture-provider.ts'
import { directoryInfos, directoryPlan } from '../sync/directories/directory-plan.ts'
import { inventoryInfo, inventoryObjects, inventoryPlan } from '../sync/inventories/inventory-plan.ts'
import { DirectoryRun, type PlanDescribers, type Run, runSchema } from '../sync/runs/run.ts'
import { requestRun } from '../sync/runs/source.ts'
import { existingRow } from '../table/read.ts'
import { directoryTitles } from './kinds.ts'

/** Description of a kind of source for the operations on its runs (I4.1, I7.1). */
type RunSource = {
  path: `/${DirectoryKind}_directories/{id}` | '/mdm_posture_providers/{id}'
  /** Name with an article, for operation summaries. */
  one: string
  /** Noun for the objects that a run synchronizes, for operation summaries. */
  objects: string
  scope: 'directories' | 'mdm'
  plan: PlanDescribers
  Run: typeof DirectoryRun | ReturnType<typeof runSchema>
  /**
   * Checks that the source exists.
   * @throws ApiError `not_found`
   */
  check(accountId: string, id: string): Promise<unknown>
  request(accountId: string, id: string, preview: boolean): Promise<Run>
}

const ofDirectories = (kind: DirectoryKind): RunSource => ({
  path: `/${kind}_directories/{id}`,
  one: directoryTitles[kind].one,
  objects: directoryTitles[kind].one,
  scope: 'directories',
  plan: directoryPlan,
  Run: DirectoryRun,
  check: (accountId, id) => existingRow(directories[kind], accountId, id),
  request: (accountId, id, preview) => requestRun(directoryInfos[kind], accountId, id, { preview }),
})

export const runSources = {
  suite_directory: ofDirectories('suite'),
  tenant_directory: ofDirectories('tenant'),
  idp_directory: ofDirectories('idp'),
  mdm_posture_provider: {
    path: '/mdm_posture_providers/{id}',
    one: 'a posture provider',
    objects: 'the devices of a posture provider',
    scope: 'mdm',
    plan: inventoryPlan,
    Run: runSchema(inventoryObjects),
    check: (accountId, id) => existingRow(postureProviders, accountId, id),
    request: (accountId, id, preview) => requestRun(inventoryInfo, accountId, id, { preview }),
  },
} satisfies Record<string, RunSource>

export const runSourceKinds = Object.keys(runSources) as (keyof typeof runSources)[]
