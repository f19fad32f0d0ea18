import { ExternalIdentity } from '#shared/domain/external-identities/external-identity.ts'
import * as externalIdentities from '#shared/domain/external-identities/store.ts'
import { data, operation } from '#shared/http/lambda.ts'
import { handler as getExternalIdentity } from './get-external-identity.ts'

export const handler = operation(
  'DELETE /actors/{actor_id}/external_identities/{id}',
  {
    summary: 'Delete an external identity with the client tokens of its issuer',
    permission: 'actors:write',
    etagFrom: getExternalIdentity.operation,
    response: data(ExternalIdentity),
  },
  ({ author, params }) => externalIdentities.remove(author, params.actor_id, params.id),
)
