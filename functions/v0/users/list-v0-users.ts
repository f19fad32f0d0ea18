import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import * as users from '#shared/v0/users/read-users.ts'
import { V0User } from '#shared/v0/users/user.ts'
import { v0List } from '#shared/v0/values/list-rows.ts'

export const listV0Users = operation(
  {
    method: 'GET',
    path: '/v0/users',
    summary: 'List the legacy users',
    permission: 'v0:read',
    filters: {},
    response: v0List(V0User),
  },
  ({ accountId, page }) => users.list(accountId, page),
)

export const handler = lambda(listV0Users)
