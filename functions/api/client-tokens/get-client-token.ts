import { ClientToken } from '#shared/domain/client-tokens/client-token.ts'
import * as clientTokens from '#shared/domain/client-tokens/store.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'GET /actors/{actor_id}/client_tokens/{id}',
  { summary: 'Read a client token', permission: 'tokens:read', response: data(ClientToken) },
  ({ accountId, params }) => clientTokens.get(accountId, params.actor_id, params.id),
)
