import { Group, GroupFields } from '#shared/domain/groups/group.ts'
import * as groups from '#shared/domain/groups/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const createGroup = operation(
  {
    method: 'POST',
    path: '/groups',
    summary: 'Create a group',
    permission: 'groups:write',
    body: { envelope: 'group', fields: GroupFields },
    response: data(Group),
    status: 201,
    location: ({ data }) => `/groups/${data.id}`,
  },
  ({ author, input }) => groups.create(author, input),
)

export const handler = lambda(createGroup)
