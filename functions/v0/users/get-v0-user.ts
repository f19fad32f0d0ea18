import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import * as users from '#shared/v0/users/read-users.ts'
import { userIdentifier, V0User } from '#shared/v0/users/user.ts'

export const getV0User = operation(
  {
    method: 'GET',
    path: '/v0/users/{id_or_email}',
    summary: 'Read a legacy user',
    permission: 'v0:read',
    identifiers: { id_or_email: userIdentifier },
    response: data(V0User),
  },
  ({ accountId, params }) => users.get(accountId, params.id_or_email),
)

export const handler = lambda(getV0User)
