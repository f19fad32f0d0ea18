import { data, operation } from '#shared/http/lambda.ts'
import { readConfiguration, showConfiguration, V0Configuration } from '#shared/v0/configuration.ts'

export const handler = operation(
  'GET /v0/configuration',
  { summary: 'Read the legacy configuration', permission: 'v0:read', response: data(V0Configuration) },
  async ({ accountId, caller }) => ({
    data: showConfiguration(await readConfiguration(accountId), caller.account.v0_lists),
  }),
)
