import { ShownGatewayToken } from '#shared/domain/gateway-tokens/gateway-token.ts'
import * as gatewayTokens from '#shared/domain/gateway-tokens/store.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'POST /sites/{site_id}/gateway_tokens',
  {
    summary: 'Create a gateway token of a site',
    permission: 'tokens:write',
    response: data(ShownGatewayToken),
    secret: true,
  },
  ({ author, params }) => gatewayTokens.createForSite(author, params.site_id),
)
