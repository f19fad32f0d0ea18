import * as v from 'valibot'
import * as poolMembers from '#shared/domain/pool-members/read-members.ts'
import { list } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const listPoolMembers = operation(
  {
    method: 'GET',
    path: '/resources/{resource_id}/pool_members',
    summary: 'List the clients of a device pool',
    permission: 'resources:read',
    filters: {},
    refusals: ['not_a_device_pool'],
    response: list(
      v.object({ id: v.string(), device_id: v.string(), name: v.string(), last_seen_at: v.nullable(v.string()) }),
    ),
  },
  ({ accountId, params, page }) => poolMembers.list(accountId, params.resource_id, page),
)

export const handler = lambda(listPoolMembers)
