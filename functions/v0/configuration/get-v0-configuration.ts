import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { V0Configuration } from '#shared/v0/configuration/configuration.ts'
import { readConfiguration } from '#shared/v0/configuration/read-configuration.ts'
import { showConfiguration } from '#shared/v0/configuration/show-configuration.ts'

export const getV0Configuration = operation(
  {
    method: 'GET',
    path: '/v0/configuration',
    summary: 'Read the legacy configuration',
    permission: 'v0:read',
    response: data(V0Configuration),
  },
  async ({ accountId, caller }) => ({
    data: await showConfiguration(accountId, await readConfiguration(accountId), caller.account.v0_lists),
  }),
)

export const handler = lambda(getV0Configuration)
