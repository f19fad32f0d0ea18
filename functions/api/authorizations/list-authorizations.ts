import { accessList } from '#shared/access/access-list.ts'
import { AuthorizationInForce, authorizationFilters, listAuthorizations } from '#shared/access/list-authorizations.ts'
import { operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'GET /authorizations',
  {
    summary: 'List authorizations in force, oldest first',
    permission: 'clients:read',
    filters: authorizationFilters,
    response: accessList(AuthorizationInForce),
  },
  ({ accountId, page }) => listAuthorizations(accountId, page),
)
