import { Gateway } from '#shared/domain/gateways/gateway.ts'
import * as gateways from '#shared/domain/gateways/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { getGateway } from './get-gateway.ts'

export const deleteGateway = operation(
  {
    method: 'DELETE',
    path: '/sites/{site_id}/gateways/{id}',
    summary: 'Delete a gateway with its tokens and authorizations',
    permission: 'gateways:write',
    etagFrom: getGateway,
    response: data(Gateway),
  },
  ({ author, params }) => gateways.remove(author, params.site_id, params.id),
)

export const handler = lambda(deleteGateway)
