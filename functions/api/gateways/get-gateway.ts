import { data } from '#shared/envelope.ts'
import { Gateway } from '#shared/gateways/gateway.ts'
import * as gateways from '#shared/gateways/store.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/operation.ts'

export const getGateway = operation(
  {
    method: 'GET',
    path: '/sites/{site_id}/gateways/{id}',
    summary: 'Show a gateway',
    permission: 'gateways:read',
    response: data(Gateway),
  },
  ({ accountId, params }) => gateways.get(accountId, params.site_id, params.id),
)

export const handler = lambda(getGateway)
