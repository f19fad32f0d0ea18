import { ClientTokenFields, ShownClientToken } from '#shared/domain/client-tokens/client-token.ts'
import * as clientTokens from '#shared/domain/client-tokens/store.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'POST /actors/{actor_id}/client_tokens',
  {
    summary: 'Create a client token of a service account',
    permission: 'tokens:write',
    body: { envelope: 'client_token', fields: ClientTokenFields },
    refusals: ['not_a_service_account'],
    response: data(ShownClientToken),
    secret: true,
  },
  ({ author, params, draft }) => clientTokens.create(author, params.actor_id, draft),
)
