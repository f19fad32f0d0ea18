import { data, operation } from '#shared/http/lambda.ts'
import { V0Configuration } from '#shared/v0/configuration.ts'
import { V0ConfigurationFields } from '#shared/v0/configuration-fields.ts'
import * as configuration from '#shared/v0/configuration-store.ts'

export const handler = operation(
  'PATCH /v0/configuration',
  {
    summary: 'Change the legacy configuration',
    permission: 'v0:write',
    body: { envelope: 'configuration', fields: V0ConfigurationFields },
    response: data(V0Configuration),
  },
  ({ author, draft, caller, address }) => configuration.update(author, draft, caller.account.v0_lists, address),
)
