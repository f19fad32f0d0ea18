import * as v from 'valibot'
import { endSession } from '#shared/access/client-sessions/end-session.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const endClientSession = operation(
  {
    method: 'DELETE',
    path: '/client/sessions/{id}',
    summary: 'End a client session',
    credential: 'client',
    response: data(v.object({ id: v.string() })),
  },
  ({ caller, params }) => endSession(caller, params.id),
)

export const handler = lambda(endClientSession)
