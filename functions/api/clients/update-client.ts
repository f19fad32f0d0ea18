import { Client, ClientFields } from '#shared/domain/clients/client.ts'
import * as clients from '#shared/domain/clients/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { getClient } from './get-client.ts'

export const updateClient = operation(
  {
    method: 'PATCH',
    alias: 'PUT',
    path: '/clients/{id}',
    summary: 'Rename a client',
    permission: 'clients:write',
    etagFrom: getClient,
    body: { envelope: 'client', fields: ClientFields },
    response: data(Client),
  },
  ({ author, params, input }) => clients.rename(author, params.id, input),
)

export const handler = lambda(updateClient)
