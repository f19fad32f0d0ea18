import { Client } from '#shared/domain/clients/client.ts'
import * as clients from '#shared/domain/clients/store.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'GET /clients/{id}',
  { summary: 'Read a client', permission: 'clients:read', response: data(Client) },
  ({ accountId, params }) => clients.get(accountId, params.id),
)
