import { operation } from '#shared/http/lambda.ts'
import { v0List } from '#shared/v0/list-rows.ts'
import * as users from '#shared/v0/read-users.ts'
import { V0User } from '#shared/v0/user.ts'

export const handler = operation(
  'GET /v0/users',
  { summary: 'List the legacy users', permission: 'v0:read', filters: {}, response: v0List(V0User) },
  ({ accountId, page }) => users.list(accountId, page),
)
