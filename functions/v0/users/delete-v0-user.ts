import { emptyAnswer, operation } from '#shared/http/lambda.ts'
import { userIdentifier } from '#shared/v0/user.ts'
import * as users from '#shared/v0/user-store.ts'

export const handler = operation(
  'DELETE /v0/users/{id_or_email}',
  {
    summary: 'Delete a legacy user with its devices and rules',
    permission: 'v0:write',
    identifiers: { id_or_email: userIdentifier },
    response: emptyAnswer,
    status: 204,
  },
  ({ author, params }) => users.remove(author, params.id_or_email),
)
