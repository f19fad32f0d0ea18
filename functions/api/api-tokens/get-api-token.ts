import { ApiToken } from '#shared/domain/api-tokens/api-token.ts'
import * as apiTokens from '#shared/domain/api-tokens/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const getApiToken = operation(
  {
    method: 'GET',
    path: '/actors/{actor_id}/api_tokens/{id}',
    summary: 'Show an API token',
    permission: 'tokens:read',
    response: data(ApiToken),
  },
  ({ accountId, params }) => apiTokens.get(accountId, params.actor_id, params.id),
)

export const handler = lambda(getApiToken)
