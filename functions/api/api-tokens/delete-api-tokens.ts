import * as v from 'valibot'
import * as apiTokens from '#shared/domain/api-tokens/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const deleteApiTokens = operation(
  {
    method: 'DELETE',
    path: '/actors/{actor_id}/api_tokens',
    summary: 'Delete all API tokens of an API client',
    permission: 'tokens:write',
    response: data(v.object({ deleted_count: v.number() })),
  },
  ({ author, params }) => apiTokens.removeAll(author, params.actor_id),
)

export const handler = lambda(deleteApiTokens)
