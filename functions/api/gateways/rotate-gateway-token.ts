import { ShownGatewayToken } from '#shared/domain/gateway-tokens/gateway-token.ts'
import * as gatewayTokens from '#shared/domain/gateway-tokens/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const rotateGatewayToken = operation(
  {
    method: 'POST',
    path: '/sites/{site_id}/gateways/{gateway_id}/token/rotate',
    summary: 'Rotate the token of a gateway',
    permission: 'tokens:write',
    refusals: ['rotation_conflict'],
    response: data(ShownGatewayToken),
    status: 201,
    secret: true,
  },
  ({ author, params }) => gatewayTokens.rotate(author, params.site_id, params.gateway_id),
)

export const handler = lambda(rotateGatewayToken)
