import * as v from 'valibot'
import { progressing } from '#shared/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { editSchema } from '#shared/member-sets/requested-members.ts'
import * as memberships from '#shared/memberships/store.ts'
import { operation } from '#shared/operation.ts'

export const editMemberships = operation(
  {
    method: 'PATCH',
    path: '/groups/{group_id}/memberships',
    summary: 'Add and remove members of a group',
    permission: 'groups:write',
    body: { envelope: 'memberships', value: editSchema },
    refusals: ['managed_group', 'synced_group'],
    response: progressing(v.object({ actor_ids: v.array(v.string()) })),
    canContinue: true,
  },
  ({ author, params, raw }) => memberships.edit(author, params.group_id, raw),
)

export const handler = lambda(editMemberships)
