import { Gateway } from '#shared/domain/gateways/gateway.ts'
import * as gateways from '#shared/domain/gateways/store.ts'
import { list } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { textFilter } from '#shared/values/filters.ts'
import { ipFilter } from '#shared/values/ip-filter.ts'

export const listGateways = operation(
  {
    method: 'GET',
    path: '/sites/{site_id}/gateways',
    summary: 'List the gateways of a site',
    permission: 'gateways:read',
    filters: { name: textFilter, ipv4: ipFilter(4), ipv6: ipFilter(6) },
    response: list(Gateway),
  },
  ({ accountId, params, page }) => gateways.list(accountId, params.site_id, page),
)

export const handler = lambda(listGateways)
