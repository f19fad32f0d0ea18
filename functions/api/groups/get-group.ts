import { Group } from '#shared/domain/groups/group.ts'
import * as groups from '#shared/domain/groups/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const getGroup = operation(
  { method: 'GET', path: '/groups/{id}', summary: 'Read a group', permission: 'groups:read', response: data(Group) },
  ({ accountId, params }) => groups.get(accountId, params.id),
)

export const handler = lambda(getGroup)
