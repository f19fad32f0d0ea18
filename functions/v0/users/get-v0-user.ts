import { data, operation } from '#shared/http/lambda.ts'
import * as users from '#shared/v0/read-users.ts'
import { userIdentifier, V0User } from '#shared/v0/user.ts'

export const handler = operation(
  'GET /v0/users/{id_or_email}',
  {
    summary: 'Read a legacy user',
    permission: 'v0:read',
    identifiers: { id_or_email: userIdentifier },
    response: data(V0User),
  },
  ({ accountId, params }) => users.get(accountId, params.id_or_email),
)
