import { ClientToken } from '#shared/domain/client-tokens/client-token.ts'
import * as clientTokens from '#shared/domain/client-tokens/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const getClientToken = operation(
  {
    method: 'GET',
    path: '/actors/{actor_id}/client_tokens/{id}',
    summary: 'Read a client token',
    permission: 'tokens:read',
    response: data(ClientToken),
  },
  ({ accountId, params }) => clientTokens.get(accountId, params.actor_id, params.id),
)

export const handler = lambda(getClientToken)
