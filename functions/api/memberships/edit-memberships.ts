import * as v from 'valibot'
import { editSchema } from '#shared/domain/member-sets/requested-members.ts'
import * as memberships from '#shared/domain/memberships/store.ts'
import { operation, progressing } from '#shared/http/lambda.ts'

export const handler = operation(
  'PATCH /groups/{group_id}/memberships',
  {
    summary: 'Add and remove members of a group',
    permission: 'groups:write',
    body: { envelope: 'memberships', value: editSchema },
    refusals: ['managed_group', 'synced_group'],
    response: progressing(v.object({ actor_ids: v.array(v.string()) })),
    canContinue: true,
  },
  ({ author, params, raw }) => memberships.edit(author, params.group_id, raw),
)
