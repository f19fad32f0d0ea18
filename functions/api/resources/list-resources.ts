import { ipStacks, Resource } from '#shared/domain/resources/resource.ts'
import * as resources from '#shared/domain/resources/store.ts'
import { list, operation } from '#shared/http/lambda.ts'
import { enumFilter, textFilter, uuidFilter } from '#shared/values/filters.ts'

export const handler = operation(
  'GET /resources',
  {
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
