import * as v from 'valibot'
import * as apiTokens from '#shared/domain/api-tokens/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { getApiToken } from './get-api-token.ts'

export const deleteApiToken = operation(
  {
    method: 'DELETE',
    path: '/actors/{actor_id}/api_tokens/{id}',
    summary: 'Delete an API token',
    permission: 'tokens:write',
    etagFrom: getApiToken,
    response: data(v.object({ id: v.string() })),
  },
  ({ author, params }) => apiTokens.remove(author, params.actor_id, params.id),
)

export const handler = lambda(deleteApiToken)
