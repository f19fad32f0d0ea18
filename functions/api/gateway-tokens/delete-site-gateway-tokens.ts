import * as v from 'valibot'
import * as gatewayTokens from '#shared/domain/gateway-tokens/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const deleteSiteGatewayTokens = operation(
  {
    method: 'DELETE',
    path: '/sites/{site_id}/gateway_tokens',
    summary: 'Delete all gateway tokens of a site',
    permission: 'tokens:write',
    response: data(v.object({ deleted_count: v.number() })),
  },
  ({ author, params }) => gatewayTokens.removeAllOfSite(author, params.site_id),
)

export const handler = lambda(deleteSiteGatewayTokens)
