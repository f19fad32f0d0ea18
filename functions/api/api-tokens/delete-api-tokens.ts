import * as apiTokens from '#shared/domain/api-tokens/store.ts'
import { deletedCount, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'DELETE /actors/{actor_id}/api_tokens',
  { summary: 'Delete all API tokens of an API client', permission: 'tokens:write', response: deletedCount },
  ({ author, params }) => apiTokens.removeAll(author, params.actor_id),
)
