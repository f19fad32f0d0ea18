import { ApiTokenFields, ShownApiToken } from '#shared/domain/api-tokens/api-token.ts'
import * as apiTokens from '#shared/domain/api-tokens/store.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'POST /actors/{actor_id}/api_tokens',
  {
    summary: 'Create an API token of an API client',
    permission: 'tokens:write',
    body: { envelope: 'api_token', fields: ApiTokenFields },
    refusals: ['not_an_api_client', 'limit_reached', 'scope_exceeded'],
    response: data(ShownApiToken),
    secret: true,
  },
  ({ author, params, draft }) => apiTokens.create(author, params.actor_id, draft),
)
