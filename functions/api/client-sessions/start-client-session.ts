import * as v from 'valibot'
import { ClientSessionFields, startClientSession } from '#shared/access/start-client-session.ts'
import { Client } from '#shared/domain/clients/client.ts'
import { Resource } from '#shared/domain/resources/resource.ts'
import { SessionLease } from '#shared/domain/sessions/lease.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'POST /client/sessions',
  {
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
        ...SessionLease.entries,
      }),
    ),
  },
  ({ caller, subject, draft }) => startClientSession(caller, subject, draft),
)
