import * as v from 'valibot'
import { wholeSetSchema } from '#shared/domain/member-sets/requested-members.ts'
import * as poolMembers from '#shared/domain/pool-members/store.ts'
import { operation, progressing } from '#shared/http/lambda.ts'

export const handler = operation(
  'PUT /resources/{resource_id}/pool_members',
  {
    summary: 'Replace the clients of a device pool',
    permission: 'resources:write',
    body: { envelope: 'pool_members', shape: 'list', value: wholeSetSchema('device_id') },
    refusals: ['not_a_device_pool'],
    response: progressing(v.object({ device_ids: v.array(v.string()) })),
    canContinue: true,
  },
  ({ author, params, raw }) => poolMembers.replace(author, params.resource_id, raw),
)
