import * as clientTokens from '#shared/domain/client-tokens/store.ts'
import { deletedCount, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'DELETE /actors/{actor_id}/client_tokens',
  { summary: 'Delete all client tokens of an actor', permission: 'tokens:write', response: deletedCount },
  ({ author, params }) => clientTokens.removeAll(author, params.actor_id),
)
