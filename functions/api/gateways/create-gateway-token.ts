import { ShownGatewayToken } from '#shared/domain/gateway-tokens/gateway-token.ts'
import * as gatewayTokens from '#shared/domain/gateway-tokens/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const createGatewayToken = operation(
  {
    method: 'POST',
    path: '/sites/{site_id}/gateways/{gateway_id}/token',
    summary: 'Create a token of a gateway that has none',
    permission: 'tokens:write',
    refusals: ['active_token_exists'],
    response: data(ShownGatewayToken),
    status: 201,
    secret: true,
  },
  ({ author, params }) => gatewayTokens.createForGateway(author, params.site_id, params.gateway_id),
)

export const handler = lambda(createGatewayToken)
