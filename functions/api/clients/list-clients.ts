import { Client } from '#shared/domain/clients/client.ts'
import * as clients from '#shared/domain/clients/store.ts'
import { operation, scannedList } from '#shared/http/lambda.ts'
import { boolFilter, textFilter, timestampFilter, uuidFilter } from '#shared/values/filters.ts'

export const handler = operation(
  'GET /clients',
  {
    summary: 'List the clients',
    permission: 'clients:read',
    filters: {
      name: textFilter,
      svc_id: textFilter,
      actor_id: uuidFilter,
      online: boolFilter,
      not_seen_since: timestampFilter,
      verified: boolFilter,
    },
    response: scannedList(Client),
  },
  ({ accountId, page }) => clients.list(accountId, page),
)
