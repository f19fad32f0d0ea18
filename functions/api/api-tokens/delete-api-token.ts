import * as apiTokens from '#shared/domain/api-tokens/store.ts'
import { idOnly, operation } from '#shared/http/lambda.ts'
import { handler as getApiToken } from './get-api-token.ts'

export const handler = operation(
  'DELETE /actors/{actor_id}/api_tokens/{id}',
  { summary: 'Delete an API token', permission: 'tokens:write', etagFrom: getApiToken.operation, response: idOnly },
  ({ author, params }) => apiTokens.remove(author, params.actor_id, params.id),
)
