import { Client } from '#shared/domain/clients/client.ts'
import * as clients from '#shared/domain/clients/store.ts'
import { list, operation } from '#shared/http/lambda.ts'
import { textFilter } from '#shared/values/filters.ts'

export const handler = operation(
  'GET /clients',
  {
    summary: 'List the clients',
    permission: 'clients:read',
    filters: { name: textFilter, svc_id: textFilter },
    response: list(Client),
  },
  ({ accountId, page }) => clients.list(accountId, page),
)
