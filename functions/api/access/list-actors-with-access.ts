import { accessList } from '#shared/access/access-page.ts'
import { ActorWithAccess, whoCanReach } from '#shared/access/who-can-reach.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const listActorsWithAccess = operation(
  {
    method: 'GET',
    path: '/access/resources/{id}/actors',
    summary: 'List the actors that can reach a resource now',
    permission: 'policies:read',
    filters: {},
    response: accessList(ActorWithAccess),
  },
  ({ caller, params, page }) => whoCanReach(caller.account, params.id, page),
)

export const handler = lambda(listActorsWithAccess)
