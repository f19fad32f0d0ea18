import { data } from '#shared/envelope.ts'
import { ExternalIdentity } from '#shared/external-identities/external-identity.ts'
import * as externalIdentities from '#shared/external-identities/store.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/operation.ts'

export const getExternalIdentity = operation(
  {
    method: 'GET',
    path: '/actors/{actor_id}/external_identities/{id}',
    summary: 'Show an external identity',
    permission: 'actors:read',
    response: data(ExternalIdentity),
  },
  ({ accountId, params }) => externalIdentities.get(accountId, params.actor_id, params.id),
)

export const handler = lambda(getExternalIdentity)
