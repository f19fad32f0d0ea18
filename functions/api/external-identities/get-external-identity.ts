import { ExternalIdentity } from '#shared/domain/external-identities/external-identity.ts'
import * as externalIdentities from '#shared/domain/external-identities/store.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'GET /actors/{actor_id}/external_identities/{id}',
  { summary: 'Show an external identity', permission: 'actors:read', response: data(ExternalIdentity) },
  ({ accountId, params }) => externalIdentities.get(accountId, params.actor_id, params.id),
)
