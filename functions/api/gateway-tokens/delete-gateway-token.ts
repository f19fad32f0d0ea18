import * as gatewayTokens from '#shared/domain/gateway-tokens/store.ts'
import { idOnly, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'DELETE /sites/{site_id}/gateway_tokens/{id}',
  { summary: 'Delete a gateway token and end its sessions', permission: 'tokens:write', response: idOnly },
  ({ author, params }) => gatewayTokens.remove(author, params.site_id, params.id),
)
