import { list } from '#shared/envelope.ts'
import { ExternalIdentity } from '#shared/external-identities/external-identity.ts'
import * as externalIdentities from '#shared/external-identities/store.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/operation.ts'

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
