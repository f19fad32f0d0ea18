import { ApiToken } from '#shared/domain/api-tokens/api-token.ts'
import * as apiTokens from '#shared/domain/api-tokens/store.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'GET /actors/{actor_id}/api_tokens/{id}',
  { summary: 'Show an API token', permission: 'tokens:read', response: data(ApiToken) },
  ({ accountId, params }) => apiTokens.get(accountId, params.actor_id, params.id),
)
