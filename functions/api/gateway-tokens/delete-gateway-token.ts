import * as v from 'valibot'
import * as gatewayTokens from '#shared/domain/gateway-tokens/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const deleteGatewayToken = operation(
  {
    method: 'DELETE',
    path: '/sites/{site_id}/gateway_tokens/{id}',
    summary: 'Delete a gateway token and end its sessions',
    permission: 'tokens:write',
    response: data(v.object({ id: v.string() })),
  },
  ({ author, params }) => gatewayTokens.remove(author, params.site_id, params.id),
)

export const handler = lambda(deleteGatewayToken)
