import * as gatewayTokens from '#shared/domain/gateway-tokens/store.ts'
import { deletedCount, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'DELETE /sites/{site_id}/gateway_tokens',
  { summary: 'Delete all gateway tokens of a site', permission: 'tokens:write', response: deletedCount },
  ({ author, params }) => gatewayTokens.removeAllOfSite(author, params.site_id),
)
