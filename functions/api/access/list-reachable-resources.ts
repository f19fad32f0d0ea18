import { accessList } from '#shared/access/access-list.ts'
import { listReachableResources, ResourceWithAccess } from '#shared/access/list-reachable-resources.ts'
import { operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'GET /access/actors/{id}/resources',
  {
    summary: 'List the resources that an actor can reach now',
    permission: 'policies:read',
    filters: {},
    response: accessList(ResourceWithAccess),
  },
  ({ caller, params, page }) => listReachableResources(caller.account, params.id, page),
)
