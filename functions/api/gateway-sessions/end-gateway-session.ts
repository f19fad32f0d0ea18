import * as v from 'valibot'
import { endSession } from '#shared/access/gateway-sessions/renew-session.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const endGatewaySession = operation(
  {
    method: 'DELETE',
    path: '/gateway/sessions/{id}',
    summary: 'End a session of a gateway',
    credential: 'gateway',
    response: data(v.object({ id: v.string() })),
  },
  ({ caller, params }) => endSession(caller, params.id),
)

export const handler = lambda(endGatewaySession)
