import * as v from 'valibot'
import { renewSession } from '#shared/access/client-sessions/renew-session.ts'
import { Resource } from '#shared/domain/resources/resource.ts'
import { Lease } from '#shared/domain/sessions/lease.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const renewClientSession = operation(
  {
    method: 'PUT',
    path: '/client/sessions/{id}',
    summary: 'Send the heartbeat of a client session',
    credential: 'client',
    response: data(
      v.object({
        id: v.string(),
        resources: v.array(Resource),
        resources_cursor: v.nullable(v.string()),
        ...Lease.entries,
      }),
    ),
  },
  ({ caller, subject, params }) => renewSession(caller, subject, params.id),
)

export const handler = lambda(renewClientSession)
