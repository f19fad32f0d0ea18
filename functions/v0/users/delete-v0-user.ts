import { nothing } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import * as users from '#shared/v0/users/store.ts'

export const deleteV0User = operation(
  {
    method: 'DELETE',
    path: '/v0/users/{id_or_email}',
    summary: 'Delete a legacy user with its devices and rules',
    permission: 'v0:write',
    response: nothing,
    status: 204,
  },
  ({ author, params }) => users.remove(author, params.id_or_email),
)

export const handler = lambda(deleteV0User)
