import { Gateway } from '#shared/domain/gateways/gateway.ts'
import * as gateways from '#shared/domain/gateways/store.ts'
import { operation, scannedList } from '#shared/http/lambda.ts'
import { boolFilter, ipFilter, textFilter, timestampFilter } from '#shared/values/filters.ts'

export const handler = operation(
  'GET /sites/{site_id}/gateways',
  {
    summary: 'List the gateways of a site',
    permission: 'gateways:read',
    filters: {
      name: textFilter,
      ipv4: ipFilter(4),
      ipv6: ipFilter(6),
      online: boolFilter,
      not_seen_since: timestampFilter,
    },
    response: scannedList(Gateway),
  },
  ({ accountId, params, page }) => gateways.list(accountId, params.site_id, page),
)
