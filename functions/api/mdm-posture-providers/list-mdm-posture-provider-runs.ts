import * as postureProviders from '#shared/domain/posture-providers/store.ts'
import { list } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { inventoryObjects } from '#shared/sync/inventories/inventory-info.ts'
import { listRuns } from '#shared/sync/runs/list-runs.ts'
import { RunOf } from '#shared/sync/runs/run.ts'

export const listMdmPostureProviderRuns = operation(
  {
    method: 'GET',
    path: '/mdm_posture_providers/{id}/runs',
    summary: 'List the runs of a posture provider',
    permission: 'mdm:read',
    feature: 'device_posture',
    filters: {},
    response: list(RunOf(inventoryObjects)),
  },
  async ({ accountId, params, page }) => {
    await postureProviders.get(accountId, params.id)
    return listRuns(accountId, params.id, page)
  },
)

export const handler = lambda(listMdmPostureProviderRuns)
