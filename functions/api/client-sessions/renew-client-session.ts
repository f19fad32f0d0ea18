import * as v from 'valibot'
import { renewSession } from '#shared/access/client-session.ts'
import { Resource } from '#shared/domain/resources/resource.ts'
import { Lease } from '#shared/domain/sessions/lease.ts'
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
        ...Lease.entries,
      }),
    ),
  },
  ({ caller, subject, params }) => renewSession(caller, subject, params.id),
)
