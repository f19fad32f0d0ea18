import { accessList } from '#shared/access/access-list.ts'
import { listGatewayTokens } from '#shared/access/list-gateway-tokens.ts'
import { GatewayToken } from '#shared/domain/gateway-tokens/gateway-token.ts'
import { operation } from '#shared/http/lambda.ts'
import { uuidFilter } from '#shared/values/filters.ts'

/** Lists the gateway tokens of a site, or of one of its gateways (K11.G11). */
export const handler = operation(
  'GET /sites/{site_id}/gateway_tokens',
  {
    summary: 'List the gateway tokens of a site, or of one of its gateways',
    permission: 'tokens:read',
    filters: { gateway_id: uuidFilter },
    response: accessList(GatewayToken),
  },
  ({ accountId, params, page }) => listGatewayTokens(accountId, params.site_id, page),
)
