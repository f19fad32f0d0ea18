import { ShownGatewayToken } from '#shared/domain/gateway-tokens/gateway-token.ts'
import * as gatewayTokens from '#shared/domain/gateway-tokens/store.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'POST /sites/{site_id}/gateways/{gateway_id}/token',
  {
    summary: 'Create a token of a gateway that has none',
    permission: 'tokens:write',
    refusals: ['active_token_exists'],
    response: data(ShownGatewayToken),
    secret: true,
  },
  ({ author, params }) => gatewayTokens.createForGateway(author, params.site_id, params.gateway_id),
)
