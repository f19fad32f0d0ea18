import { ExternalIdentity } from '#shared/domain/external-identities/external-identity.ts'
import * as externalIdentities from '#shared/domain/external-identities/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

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
