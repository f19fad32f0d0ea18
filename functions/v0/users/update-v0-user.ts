import { data, operation } from '#shared/http/lambda.ts'
import { userIdentifier, V0User, V0UserChanges } from '#shared/v0/user.ts'
import * as users from '#shared/v0/user-store.ts'

export const handler = operation(
  'PATCH /v0/users/{id_or_email}',
  {
    summary: 'Change a legacy user',
    permission: 'v0:write',
    identifiers: { id_or_email: userIdentifier },
    body: { envelope: 'user', fields: V0UserChanges },
    response: data(V0User),
  },
  ({ author, params, draft }) => users.update(author, params.id_or_email, draft),
)
