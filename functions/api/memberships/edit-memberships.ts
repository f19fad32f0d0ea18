import * as v from 'valibot'
import { editSchema } from '#shared/domain/member-sets/requested-members.ts'
import * as memberships from '#shared/domain/memberships/store.ts'
import { progressing } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

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
