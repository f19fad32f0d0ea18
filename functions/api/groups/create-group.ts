import { Group, GroupFields } from '#shared/domain/groups/group.ts'
import * as groups from '#shared/domain/groups/store.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'POST /groups',
  {
    summary: 'Create a group',
    permission: 'groups:write',
    body: { envelope: 'group', fields: GroupFields },
    response: data(Group),
    location: true,
  },
  ({ author, draft }) => groups.create(author, draft),
)
