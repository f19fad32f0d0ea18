import { Client } from '#shared/domain/clients/client.ts'
import * as clients from '#shared/domain/clients/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { getClient } from './get-client.ts'

export const unverifyClient = operation(
  {
    method: 'PUT',
    path: '/clients/{id}/unverify',
    summary: 'Take back the verification of a client',
    permission: 'clients:write',
    etagFrom: getClient,
    response: data(Client),
  },
  ({ author, params }) => clients.unverify(author, params.id),
)

export const handler = lambda(unverifyClient)
