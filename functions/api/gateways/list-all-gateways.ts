import { Gateway } from '#shared/domain/gateways/gateway.ts'
import * as gateways from '#shared/domain/gateways/store.ts'
import { operation, scannedList } from '#shared/http/lambda.ts'
import { boolFilter, timestampFilter, uuidFilter } from '#shared/values/filters.ts'

/** Lists the gateways of all sites (K11.G4). */
export const handler = operation(
  'GET /gateways',
  {
    summary: 'List the gateways of all sites',
    permission: 'gateways:read',
    filters: { site_id: uuidFilter, online: boolFilter, not_seen_since: timestampFilter },
    response: scannedList(Gateway),
  },
  ({ accountId, page }) => gateways.listAll(accountId, page),
)
