import { Group } from '#shared/domain/groups/group.ts'
import * as groups from '#shared/domain/groups/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { getGroup } from './get-group.ts'

export const deleteGroup = operation(
  {
    method: 'DELETE',
    path: '/groups/{id}',
    summary: 'Delete a group; its policies stay, orphaned',
    permission: 'groups:write',
    etagFrom: getGroup,
    refusals: ['managed_group'],
    response: data(Group),
  },
  ({ author, params }) => groups.remove(author, params.id),
)

export const handler = lambda(deleteGroup)
