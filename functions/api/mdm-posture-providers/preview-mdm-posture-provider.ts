import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { inventoryInfo, inventoryObjects } from '#shared/sync/inventories/inventory-info.ts'
import { RunOf } from '#shared/sync/runs/run.ts'
import { requestRun } from '#shared/sync/sources/request-run.ts'

export const previewMdmPostureProvider = operation(
  {
    method: 'POST',
    path: '/mdm_posture_providers/{id}/preview',
    summary: 'Preview what a run of a posture provider would change',
    permission: 'mdm:write',
    feature: 'device_posture',
    refusals: ['feature_not_enabled', 'sync_running'],
    response: data(RunOf(inventoryObjects)),
    status: 202,
  },
  async ({ accountId, params }) => ({
    data: await requestRun(inventoryInfo, accountId, params.id, { preview: true }),
  }),
)

export const handler = lambda(previewMdmPostureProvider)
