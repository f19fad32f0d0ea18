import { data } from '#shared/envelope.ts'
import { ExternalIdentity } from '#shared/external-identities/external-identity.ts'
import * as externalIdentities from '#shared/external-identities/store.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/operation.ts'
import { getExternalIdentity } from './get-external-identity.ts'

export const deleteExternalIdentity = operation(
  {
    method: 'DELETE',
    path: '/actors/{actor_id}/external_identities/{id}',
    summary: 'Delete an external identity with the client tokens of its issuer',
    permission: 'actors:write',
    current: getExternalIdentity,
    response: data(ExternalIdentity),
  },
  ({ author, params }) => externalIdentities.remove(author, params.actor_id, params.id),
)

export const handler = lambda(deleteExternalIdentity)
