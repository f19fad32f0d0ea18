import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { V0Configuration } from '#shared/v0/configuration/configuration.ts'
import { V0ConfigurationFields } from '#shared/v0/configuration/configuration-fields.ts'
import * as configuration from '#shared/v0/configuration/store.ts'

export const updateV0Configuration = operation(
  {
    method: 'PATCH',
    alias: 'PUT',
    path: '/v0/configuration',
    summary: 'Change the legacy configuration',
    permission: 'v0:write',
    body: { envelope: 'configuration', fields: V0ConfigurationFields },
    response: data(V0Configuration),
  },
  ({ author, draft, caller, address }) => configuration.update(author, draft, caller.account.v0_lists, address),
)

export const handler = lambda(updateV0Configuration)
