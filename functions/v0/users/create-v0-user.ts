import { data, operation } from '#shared/http/lambda.ts'
import { V0User, V0UserFields } from '#shared/v0/user.ts'
import * as users from '#shared/v0/user-store.ts'

export const handler = operation(
  'POST /v0/users',
  {
    summary: 'Create a legacy user',
    permission: 'v0:write',
    body: { envelope: 'user', fields: V0UserFields },
    response: data(V0User),
    location: true,
  },
  ({ author, draft }) => users.create(author, draft),
)
