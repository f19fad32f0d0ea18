import { Gateway, GatewayFields } from '#shared/domain/gateways/gateway.ts'
import * as gateways from '#shared/domain/gateways/store.ts'
import { data, operation } from '#shared/http/lambda.ts'
import { handler as getGateway } from './get-gateway.ts'

export const handler = operation(
  'PATCH /sites/{site_id}/gateways/{id}',
  {
    summary: 'Rename a gateway',
    permission: 'gateways:write',
    etagFrom: getGateway.operation,
    body: { envelope: 'gateway', fields: GatewayFields },
    response: data(Gateway),
  },
  ({ author, params, input }) => gateways.update(author, params.site_id, params.id, input),
)
