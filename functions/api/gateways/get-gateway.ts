import { Gateway } from '#shared/domain/gateways/gateway.ts'
import * as gateways from '#shared/domain/gateways/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

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
