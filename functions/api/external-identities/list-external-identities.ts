import { ExternalIdentity } from '#shared/domain/external-identities/external-identity.ts'
import * as externalIdentities from '#shared/domain/external-identities/store.ts'
import { list } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const listExternalIdentities = operation(
  {
    method: 'GET',
    path: '/actors/{actor_id}/external_identities',
    summary: 'List the external identities of an actor',
    permission: 'actors:read',
    filters: {},
    response: list(ExternalIdentity),
  },
  ({ accountId, params, page }) => externalIdentities.list(accountId, params.actor_id, page),
)

export const handler = lambda(listExternalIdentities)
