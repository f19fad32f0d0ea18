import * as v from 'valibot'
import { GatewaySessionFields, startGatewaySession } from '#shared/access/start-gateway-session.ts'
import { Gateway } from '#shared/domain/gateways/gateway.ts'
import { SessionLease } from '#shared/domain/sessions/lease.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'POST /gateway/sessions',
  {
    summary: 'Start a session of a gateway',
    credential: 'gateway',
    body: { envelope: 'session', fields: GatewaySessionFields },
    refusals: ['gateway_already_connected', 'address_space_exhausted'],
    response: data(v.object({ id: v.string(), gateway: Gateway, ...SessionLease.entries })),
    location: true,
  },
  ({ caller, subject, input }) => startGatewaySession(caller, subject, input),
)
