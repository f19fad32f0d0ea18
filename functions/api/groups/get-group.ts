import { Group } from '#shared/domain/groups/group.ts'
import * as groups from '#shared/domain/groups/store.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'GET /groups/{id}',
  { summary: 'Read a group', permission: 'groups:read', response: data(Group) },
  ({ accountId, params }) => groups.get(accountId, params.id),
)
