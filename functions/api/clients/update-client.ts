import { Client, ClientFields } from '#shared/domain/clients/client.ts'
import * as clients from '#shared/domain/clients/store.ts'
import { data, operation } from '#shared/http/lambda.ts'
import { handler as getClient } from './get-client.ts'

export const handler = operation(
  'PATCH /clients/{id}',
  {
    summary: 'Rename a client',
    permission: 'clients:write',
    etagFrom: getClient.operation,
    body: { envelope: 'client', fields: ClientFields },
    response: data(Client),
  },
  ({ author, params, input }) => clients.rename(author, params.id, input),
)
