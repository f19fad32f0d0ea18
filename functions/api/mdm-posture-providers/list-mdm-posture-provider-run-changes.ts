import * as postureProviders from '#shared/domain/posture-providers/store.ts'
import { list } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { deviceChangeOf, type InventorySection, inventorySections } from '#shared/sync/inventories/inventory-plan.ts'
import { RunChange } from '#shared/sync/runs/run.ts'
import { knownRun } from '#shared/sync/runs/run-store.ts'
import { listChanges } from '#shared/sync/sources/list-changes.ts'

const plan = {
  sections: inventorySections.map((name) => ({ name, perCommit: 0 })),
  changeOf: (section: string, entry: unknown) => deviceChangeOf(section as InventorySection, entry as never),
}

export const listMdmPostureProviderRunChanges = operation(
  {
    method: 'GET',
    path: '/mdm_posture_providers/{id}/runs/{run_id}/changes',
    summary: 'List what a run of a posture provider changes',
    permission: 'mdm:read',
    feature: 'device_posture',
    filters: {},
    response: list(RunChange),
  },
  async ({ accountId, params, page }) => {
    await postureProviders.get(accountId, params.id)
    return listChanges(await knownRun(accountId, params.id, params.run_id), plan, page)
  },
)

export const handler = lambda(listMdmPostureProviderRunChanges)
