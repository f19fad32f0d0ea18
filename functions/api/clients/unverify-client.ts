import { Client } from '#shared/domain/clients/client.ts'
import * as clients from '#shared/domain/clients/store.ts'
import { data, operation } from '#shared/http/lambda.ts'
import { handler as getClient } from './get-client.ts'

export const handler = operation(
  'PUT /clients/{id}/unverify',
  {
    summary: 'Remove the verification of a client',
    permission: 'clients:write',
    etagFrom: getClient.operation,
    response: data(Client),
  },
  ({ author, params }) => clients.unverify(author, params.id),
)
