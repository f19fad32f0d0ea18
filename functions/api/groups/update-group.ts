import * as v from 'valibot'
import { Group, GroupFields } from '#shared/domain/groups/group.ts'
import * as groups from '#shared/domain/groups/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { getGroup } from './get-group.ts'

export const updateGroup = operation(
  {
    method: 'PATCH',
    alias: 'PUT',
    path: '/groups/{id}',
    summary: 'Change a group',
    permission: 'groups:write',
    etagFrom: getGroup,
    body: { envelope: 'group', checkedByHandler: true, fields: v.partial(GroupFields) },
    refusals: ['managed_group', 'synced_group'],
    response: data(Group),
  },
  ({ author, params, envelope, input }) => groups.update(author, params.id, envelope, input),
)

export const handler = lambda(updateGroup)
