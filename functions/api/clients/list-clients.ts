import { Client } from '#shared/domain/clients/client.ts'
import * as clients from '#shared/domain/clients/store.ts'
import { list } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { textFilter } from '#shared/values/filters.ts'

export const listClients = operation(
  {
    method: 'GET',
    path: '/clients',
    summary: 'List the clients',
    permission: 'clients:read',
    filters: { name: textFilter, svc_id: textFilter },
    response: list(Client),
  },
  ({ accountId, page }) => clients.list(accountId, page),
)

export const handler = lambda(listClients)
