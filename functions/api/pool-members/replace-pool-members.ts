import * as v from 'valibot'
import * as poolMembers from '#shared/domain/pool-members/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const replacePoolMembers = operation(
  {
    method: 'PUT',
    path: '/resources/{resource_id}/pool_members',
    summary: 'Replace the clients of a device pool',
    permission: 'resources:write',
    body: { envelope: 'pool_members', shape: 'list' },
    refusals: ['not_a_device_pool'],
    response: data(v.object({ device_ids: v.array(v.string()) })),
  },
  ({ author, params, raw }) => poolMembers.replace(author, params.resource_id, raw),
)

export const handler = lambda(replacePoolMembers)
