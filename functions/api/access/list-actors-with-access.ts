import { accessList } from '#shared/access/access-list.ts'
import { ActorWithAccess, listActorsWithAccess } from '#shared/access/list-actors-with-access.ts'
import { operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'GET /access/resources/{id}/actors',
  {
    summary: 'List the actors that can reach a resource now',
    permission: 'policies:read',
    filters: {},
    response: accessList(ActorWithAccess),
  },
  ({ caller, params, page }) => listActorsWithAccess(caller.account, params.id, page),
)
