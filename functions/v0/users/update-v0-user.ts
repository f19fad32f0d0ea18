import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import * as users from '#shared/v0/users/store.ts'
import { V0User, V0UserFields } from '#shared/v0/users/user.ts'

export const updateV0User = operation(
  {
    method: 'PATCH',
    alias: 'PUT',
    path: '/v0/users/{id_or_email}',
    summary: 'Change a legacy user',
    permission: 'v0:write',
    body: { envelope: 'user', fields: V0UserFields },
    response: data(V0User),
  },
  ({ author, params, draft }) => users.update(author, params.id_or_email, draft),
)

export const handler = lambda(updateV0User)
