import * as v from 'valibot'
import { GatewaySessionFields } from '#shared/access/gateway-sessions/session-fields.ts'
import { startSession } from '#shared/access/gateway-sessions/start-session.ts'
import { Gateway } from '#shared/domain/gateways/gateway.ts'
import { Lease } from '#shared/domain/sessions/lease.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const startGatewaySession = operation(
  {
    method: 'POST',
    path: '/gateway/sessions',
    summary: 'Start a session of a gateway',
    credential: 'gateway',
    body: { envelope: 'session', fields: GatewaySessionFields },
    refusals: ['gateway_already_connected', 'not_found'],
    response: data(v.object({ id: v.string(), gateway: Gateway, ...Lease.entries })),
    status: 201,
    location: ({ data }) => `/gateway/sessions/${data.id}`,
  },
  ({ caller, subject, input }) => startSession(caller, subject, input),
)

export const handler = lambda(startGatewaySession)
