import { Client } from '#shared/domain/clients/client.ts'
import * as clients from '#shared/domain/clients/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const getClient = operation(
  {
    method: 'GET',
    path: '/clients/{id}',
    summary: 'Read a client',
    permission: 'clients:read',
    response: data(Client),
  },
  ({ accountId, params }) => clients.get(accountId, params.id),
)

export const handler = lambda(getClient)
