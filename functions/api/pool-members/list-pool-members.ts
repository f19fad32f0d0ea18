import * as v from 'valibot'
import * as poolMembers from '#shared/domain/pool-members/pool-member.ts'
import { list, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'GET /resources/{resource_id}/pool_members',
  {
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
