import { Client } from '#shared/domain/clients/client.ts'
import { removeClient } from '#shared/domain/rules/delete-client.ts'
import { data, operation } from '#shared/http/lambda.ts'
import { handler as getClient } from './get-client.ts'

export const handler = operation(
  'DELETE /clients/{id}',
  {
    summary: 'Delete a client with its session and authorizations',
    permission: 'clients:write',
    etagFrom: getClient.operation,
    response: data(Client),
  },
  ({ author, params }) => removeClient(author, params.id),
)
