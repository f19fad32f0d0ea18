import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { inventoryInfo, inventoryObjects } from '#shared/sync/inventories/inventory-info.ts'
import { RunOf } from '#shared/sync/runs/run.ts'
import { requestRun } from '#shared/sync/sources/request-run.ts'

export const syncMdmPostureProvider = operation(
  {
    method: 'POST',
    path: '/mdm_posture_providers/{id}/sync',
    summary: 'Synchronize the devices of a posture provider now',
    permission: 'mdm:write',
    feature: 'device_posture',
    refusals: ['feature_not_enabled', 'sync_running', 'sync_disabled'],
    response: data(RunOf(inventoryObjects)),
    status: 202,
  },
  async ({ accountId, params }) => ({
    data: await requestRun(inventoryInfo, accountId, params.id, { preview: false }),
  }),
)

export const handler = lambda(syncMdmPostureProvider)
