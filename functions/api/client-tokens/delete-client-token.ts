import * as v from 'valibot'
import * as clientTokens from '#shared/domain/client-tokens/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { getClientToken } from './get-client-token.ts'

export const deleteClientToken = operation(
  {
    method: 'DELETE',
    path: '/actors/{actor_id}/client_tokens/{id}',
    summary: 'Delete a client token with what was made with it',
    permission: 'tokens:write',
    etagFrom: getClientToken,
    response: data(v.object({ id: v.string() })),
  },
  ({ author, params }) => clientTokens.remove(author, params.actor_id, params.id),
)

export const handler = lambda(deleteClientToken)
