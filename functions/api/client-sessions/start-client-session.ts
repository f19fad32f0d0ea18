import * as v from 'valibot'
import { ClientSessionFields } from '#shared/access/client-sessions/session-fields.ts'
import { startSession } from '#shared/access/client-sessions/start-session.ts'
import { Client } from '#shared/domain/clients/client.ts'
import { Resource } from '#shared/domain/resources/resource.ts'
import { Lease } from '#shared/domain/sessions/lease.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const startClientSession = operation(
  {
    method: 'POST',
    path: '/client/sessions',
    summary: 'Start a client session',
    credential: 'client',
    body: { envelope: 'session', fields: ClientSessionFields },
    refusals: ['limits_exceeded', 'address_space_exhausted'],
    response: data(
      v.object({
        id: v.string(),
        client: Client,
        resources: v.array(Resource),
        resources_cursor: v.nullable(v.string()),
        ...Lease.entries,
      }),
    ),
    status: 201,
  },
  ({ caller, subject, draft }) => startSession(caller, subject, draft),
)

export const handler = lambda(startClientSession)
