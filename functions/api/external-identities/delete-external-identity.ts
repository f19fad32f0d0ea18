import { ExternalIdentity } from '#shared/domain/external-identities/external-identity.ts'
import * as externalIdentities from '#shared/domain/external-identities/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { getExternalIdentity } from './get-external-identity.ts'

export const deleteExternalIdentity = operation(
  {
    method: 'DELETE',
    path: '/actors/{actor_id}/external_identities/{id}',
    summary: 'Delete an external identity with the client tokens of its issuer',
    permission: 'actors:write',
    etagFrom: getExternalIdentity,
    response: data(ExternalIdentity),
  },
  ({ author, params }) => externalIdentities.remove(author, params.actor_id, params.id),
)

export const handler = lambda(deleteExternalIdentity)
