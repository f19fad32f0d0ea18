import { data } from '#shared/envelope.ts'
import { Group } from '#shared/groups/group.ts'
import * as groups from '#shared/groups/store.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/operation.ts'

export const getGroup = operation(
  { method: 'GET', path: '/groups/{id}', summary: 'Read a group', permission: 'groups:read', response: data(Group) },
  ({ accountId, params }) => groups.get(accountId, params.id),
)

export const handler = lambda(getGroup)
