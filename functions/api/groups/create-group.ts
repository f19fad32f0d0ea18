import { data } from '#shared/envelope.ts'
import { Group, GroupFields } from '#shared/groups/group.ts'
import * as groups from '#shared/groups/store.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/operation.ts'

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
