import { data } from '#shared/envelope.ts'
import { Gateway } from '#shared/gateways/gateway.ts'
import * as gateways from '#shared/gateways/store.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/operation.ts'
import { getGateway } from './get-gateway.ts'

export const deleteGateway = operation(
  {
    method: 'DELETE',
    path: '/sites/{site_id}/gateways/{id}',
    summary: 'Delete a gateway with its tokens and authorizations',
    permission: 'gateways:write',
    current: getGateway,
    response: data(Gateway),
  },
  ({ author, params }) => gateways.remove(author, params.site_id, params.id),
)

export const handler = lambda(deleteGateway)
