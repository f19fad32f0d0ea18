import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { V0Configuration } from '#shared/v0/configuration/configuration.ts'
import * as configuration from '#shared/v0/configuration/store.ts'

export const getV0Configuration = operation(
  {
    method: 'GET',
    path: '/v0/configuration',
    summary: 'Read the legacy configuration',
    permission: 'v0:read',
    response: data(V0Configuration),
  },
  ({ accountId, caller }) => configuration.get(accountId, caller.account.v0_lists),
)

export const handler = lambda(getV0Configuration)
