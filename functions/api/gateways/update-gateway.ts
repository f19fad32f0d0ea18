import { Gateway } from '#shared/domain/gateways/gateway.ts'
import { GatewayFields } from '#shared/domain/gateways/gateway-fields.ts'
import * as gateways from '#shared/domain/gateways/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { getGateway } from './get-gateway.ts'

export const updateGateway = operation(
  {
    method: 'PATCH',
    alias: 'PUT',
    path: '/sites/{site_id}/gateways/{id}',
    summary: 'Rename a gateway',
    permission: 'gateways:write',
    etagFrom: getGateway,
    body: { envelope: 'gateway', fields: GatewayFields },
    response: data(Gateway),
  },
  ({ author, params, input }) => gateways.update(author, params.site_id, params.id, input),
)

export const handler = lambda(updateGateway)
