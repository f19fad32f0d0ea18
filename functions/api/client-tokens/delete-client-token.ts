import * as clientTokens from '#shared/domain/client-tokens/store.ts'
import { idOnly, operation } from '#shared/http/lambda.ts'
import { handler as getClientToken } from './get-client-token.ts'

export const handler = operation(
  'DELETE /actors/{actor_id}/client_tokens/{id}',
  {
    summary: 'Delete a client token with its sessions and authorizations',
    permission: 'tokens:write',
    etagFrom: getClientToken.operation,
    response: idOnly,
  },
  ({ author, params }) => clientTokens.remove(author, params.actor_id, params.id),
)
