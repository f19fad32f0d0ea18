import { ApiToken } from '#shared/domain/api-tokens/api-token.ts'
import * as apiTokens from '#shared/domain/api-tokens/store.ts'
import { list } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const listApiTokens = operation(
  {
    method: 'GET',
    path: '/actors/{actor_id}/api_tokens',
    summary: 'List the API tokens of an API client',
    permission: 'tokens:read',
    filters: {},
    response: list(ApiToken),
  },
  ({ accountId, params, page }) => apiTokens.list(accountId, params.actor_id, page),
)

export const handler = lambda(listApiTokens)
