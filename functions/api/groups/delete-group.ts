import { Group } from '#shared/domain/groups/group.ts'
import { removeGroup } from '#shared/domain/rules/delete-group.ts'
import { data, operation } from '#shared/http/lambda.ts'
import { handler as getGroup } from './get-group.ts'

export const handler = operation(
  'DELETE /groups/{id}',
  {
    summary: 'Delete a group; its policies remain without a group',
    permission: 'groups:write',
    etagFrom: getGroup.operation,
    refusals: ['managed_group'],
    response: data(Group),
  },
  ({ author, params }) => removeGroup(author, params.id),
)
