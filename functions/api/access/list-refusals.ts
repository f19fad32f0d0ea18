import { accessListUntil } from '#shared/access/access-list.ts'
import { listRefusals, RefusedAuthorization, refusalFilters } from '#shared/access/list-refusals.ts'
import { operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'GET /access/refusals',
  {
    summary: 'List refused authorizations by hour, newest first',
    permission: 'logs:read',
    filters: refusalFilters,
    response: accessListUntil(RefusedAuthorization),
  },
  ({ accountId, page }) => listRefusals(accountId, page),
)
