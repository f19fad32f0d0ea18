import * as v from 'valibot'
import { Group, GroupFields } from '#shared/domain/groups/group.ts'
import * as groups from '#shared/domain/groups/store.ts'
import { data, operation } from '#shared/http/lambda.ts'
import { handler as getGroup } from './get-group.ts'

export const handler = operation(
  'PATCH /groups/{id}',
  {
    summary: 'Change a group',
    permission: 'groups:write',
    etagFrom: getGroup.operation,
    body: { envelope: 'group', checkedByHandler: true, fields: v.partial(GroupFields) },
    refusals: ['managed_group', 'synced_group'],
    response: data(Group),
  },
  ({ author, params, envelope, draft }) => groups.update(author, params.id, envelope, draft),
)
