import { ShownGatewayToken } from '#shared/domain/gateway-tokens/gateway-token.ts'
import * as gatewayTokens from '#shared/domain/gateway-tokens/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const createSiteGatewayToken = operation(
  {
    method: 'POST',
    path: '/sites/{site_id}/gateway_tokens',
    summary: 'Create a gateway token of a site',
    permission: 'tokens:write',
    response: data(ShownGatewayToken),
    status: 201,
    secret: true,
  },
  ({ author, params }) => gatewayTokens.createForSite(author, params.site_id),
)

export const handler = lambda(createSiteGatewayToken)
