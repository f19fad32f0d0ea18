import { ExternalIdentity } from '#shared/domain/external-identities/external-identity.ts'
import * as externalIdentities from '#shared/domain/external-identities/store.ts'
import { list, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'GET /actors/{actor_id}/external_identities',
  {
    summary: 'List the external identities of an actor',
    permission: 'actors:read',
    filters: {},
    response: list(ExternalIdentity),
  },
  ({ accountId, params, page }) => externalIdentities.list(accountId, params.actor_id, page),
)
