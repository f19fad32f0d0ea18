import { list } from '#shared/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/operation.ts'
import { Site } from '#shared/sites/site.ts'
import * as sites from '#shared/sites/store.ts'
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
