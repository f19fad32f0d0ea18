import * as sites from '#shared/domain/sites/read-sites.ts'
import { Site } from '#shared/domain/sites/site.ts'
import { list } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { textFilter } from '#shared/values/filters.ts'

export const listSites = operation(
  {
    method: 'GET',
    path: '/sites',
    summary: 'List the sites',
    permission: 'sites:read',
    filters: { name: textFilter },
    response: list(Site),
  },
  ({ accountId, page }) => sites.list(accountId, page),
)

export const handler = lambda(listSites)
