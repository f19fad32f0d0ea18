import * as v from 'valibot'
import * as memberships from '#shared/domain/memberships/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const replaceMemberships = operation(
  {
    method: 'PUT',
    path: '/groups/{group_id}/memberships',
    summary: 'Replace the members of a group',
    permission: 'groups:write',
    body: { envelope: 'memberships', shape: 'list' },
    refusals: ['managed_group', 'synced_group'],
    response: data(v.object({ actor_ids: v.array(v.string()) })),
  },
  ({ author, params, raw }) => memberships.replace(author, params.group_id, raw),
)

export const handler = lambda(replaceMemberships)
