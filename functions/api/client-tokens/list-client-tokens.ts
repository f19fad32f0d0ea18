import { ClientToken } from '#shared/domain/client-tokens/client-token.ts'
import * as clientTokens from '#shared/domain/client-tokens/store.ts'
import { list, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'GET /actors/{actor_id}/client_tokens',
  {
    summary: 'List the client tokens of an actor',
    permission: 'tokens:read',
    filters: {},
    response: list(ClientToken),
  },
  ({ accountId, params, page }) => clientTokens.list(accountId, params.actor_id, page),
)
