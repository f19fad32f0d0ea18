import * as v from 'valibot'
import type { CallerOf } from '#shared/auth/caller.ts'
import { data } from '#shared/envelope.ts'
import { endSession } from '#shared/gateway-sessions/renew-session.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/operation.ts'

export const endGatewaySession = operation(
  {
    method: 'DELETE',
    path: '/gateway/sessions/{id}',
    summary: 'End a session of a gateway',
    credential: 'gateway',
    response: data(v.object({ id: v.string() })),
  },
  ({ caller, params }) => endSession(caller as CallerOf<'gateway'>, params.id),
)

export const handler = lambda(endGatewaySession)
