import * as v from 'valibot'
import * as memberships from '#shared/domain/memberships/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const editMemberships = operation(
  {
    method: 'PATCH',
    path: '/groups/{group_id}/memberships',
    summary: 'Add and remove members of a group',
    permission: 'groups:write',
    body: { envelope: 'memberships' },
    refusals: ['managed_group', 'synced_group'],
    response: data(v.object({ actor_ids: v.array(v.string()) })),
  },
  ({ author, params, raw }) => memberships.edit(author, params.group_id, raw),
)

export const handler = lambda(editMemberships)
