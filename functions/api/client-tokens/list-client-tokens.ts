import { ClientToken } from '#shared/domain/client-tokens/client-token.ts'
import * as clientTokens from '#shared/domain/client-tokens/store.ts'
import { list } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const listClientTokens = operation(
  {
    method: 'GET',
    path: '/actors/{actor_id}/client_tokens',
    summary: 'List the client tokens of an actor',
    permission: 'tokens:read',
    filters: {},
    response: list(ClientToken),
  },
  ({ accountId, params, page }) => clientTokens.list(accountId, params.actor_id, page),
)

export const handler = lambda(listClientTokens)
