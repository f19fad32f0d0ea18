import { list } from '#shared/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/operation.ts'
import { ipStacks, Resource } from '#shared/resources/resource.ts'
import * as resources from '#shared/resources/store.ts'
import { enumFilter, textFilter, uuidFilter } from '#shared/values/filters.ts'

export const listResources = operation(
  {
    method: 'GET',
    path: '/resources',
    summary: 'List the resources',
    permission: 'resources:read',
    filters: {
      name: textFilter,
      address: textFilter,
      type: enumFilter(['cidr', 'ip', 'dns', 'static_device_pool']),
      site_id: uuidFilter,
      ip_stack: enumFilter(ipStacks),
    },
    response: list(Resource),
  },
  ({ accountId, page }) => resources.list(accountId, page),
)

export const handler = lambda(listResources)
