import { ShownGatewayToken } from '#shared/domain/gateway-tokens/gateway-token.ts'
import * as gatewayTokens from '#shared/domain/gateway-tokens/store.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'POST /sites/{site_id}/gateways/{gateway_id}/token/rotate',
  {
    summary: 'Rotate the token of a gateway',
    permission: 'tokens:write',
    refusals: ['rotation_conflict'],
    response: data(ShownGatewayToken),
    secret: true,
  },
  ({ author, params }) => gatewayTokens.rotate(author, params.site_id, params.gateway_id),
)
