import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import * as users from '#shared/v0/users/store.ts'
import { V0User, V0UserFields } from '#shared/v0/users/user.ts'

export const createV0User = operation(
  {
    method: 'POST',
    path: '/v0/users',
    summary: 'Create a legacy user',
    permission: 'v0:write',
    body: { envelope: 'user', fields: V0UserFields },
    response: data(V0User),
    status: 201,
    location: ({ data }) => `/v0/users/${data.id}`,
  },
  ({ author, draft }) => users.create(author, draft),
)

export const handler = lambda(createV0User)
