import { accessList } from '#shared/access/access-page.ts'
import { ResourceWithAccess, whatCanBeReached } from '#shared/access/what-can-be-reached.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const listReachableResources = operation(
  {
    method: 'GET',
    path: '/access/actors/{id}/resources',
    summary: 'List the resources that an actor can reach now',
    permission: 'policies:read',
    filters: {},
    response: accessList(ResourceWithAccess),
  },
  ({ caller, params, page }) => whatCanBeReached(caller.account, params.id, page),
)

export const handler = lambda(listReachableResources)
