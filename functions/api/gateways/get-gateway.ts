import { Gateway } from '#shared/domain/gateways/gateway.ts'
import * as gateways from '#shared/domain/gateways/store.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'GET /sites/{site_id}/gateways/{id}',
  { summary: 'Show a gateway', permission: 'gateways:read', response: data(Gateway) },
  ({ accountId, params }) => gateways.get(accountId, params.site_id, params.id),
)
