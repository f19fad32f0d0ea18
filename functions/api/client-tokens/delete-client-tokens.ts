import * as v from 'valibot'
import * as clientTokens from '#shared/domain/client-tokens/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const deleteClientTokens = operation(
  {
    method: 'DELETE',
    path: '/actors/{actor_id}/client_tokens',
    summary: 'Delete all client tokens of an actor',
    permission: 'tokens:write',
    response: data(v.object({ deleted_count: v.number() })),
  },
  ({ author, params }) => clientTokens.removeAll(author, params.actor_id),
)

export const handler = lambda(deleteClientTokens)
