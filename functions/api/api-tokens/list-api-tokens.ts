import { ApiToken } from '#shared/domain/api-tokens/api-token.ts'
import * as apiTokens from '#shared/domain/api-tokens/store.ts'
import { list, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'GET /actors/{actor_id}/api_tokens',
  { summary: 'List the API tokens of an API client', permission: 'tokens:read', filters: {}, response: list(ApiToken) },
  ({ accountId, params, page }) => apiTokens.list(accountId, params.actor_id, page),
)
