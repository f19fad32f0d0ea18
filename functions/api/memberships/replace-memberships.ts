import * as v from 'valibot'
import { wholeSetSchema } from '#shared/domain/member-sets/requested-members.ts'
import * as memberships from '#shared/domain/memberships/store.ts'
import { operation, progressing } from '#shared/http/lambda.ts'

export const handler = operation(
  'PUT /groups/{group_id}/memberships',
  {
    summary: 'Replace the members of a group',
    permission: 'groups:write',
    body: { envelope: 'memberships', shape: 'list', value: wholeSetSchema('actor_id') },
    refusals: ['managed_group', 'synced_group'],
    response: progressing(v.object({ actor_ids: v.array(v.string()) })),
    canContinue: true,
  },
  ({ author, params, raw }) => memberships.replace(author, params.group_id, raw),
)
