import * as v from 'valibot'
import { renewClientSession } from '#shared/access/client-session.ts'
import { Resource } from '#shared/domain/resources/resource.ts'
import { SessionLease } from '#shared/domain/sessions/lease.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'PUT /client/sessions/{id}',
  {
    summary: 'Send the heartbeat of a client session',
    credential: 'client',
    response: data(
      v.object({
        id: v.string(),
        resources: v.array(Resource),
        resources_cursor: v.nullable(v.string()),
        ...SessionLease.entries,
      }),
    ),
  },
  ({ caller, subject, params }) => renewClientSession(caller, subject, params.id),
)
