import * as v from 'valibot'
import { GatewaySessionFields, startSession } from '#shared/access/start-gateway-session.ts'
import { Gateway } from '#shared/domain/gateways/gateway.ts'
import { Lease } from '#shared/domain/sessions/lease.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'POST /gateway/sessions',
  {
    summary: 'Start a session of a gateway',
    credential: 'gateway',
    body: { envelope: 'session', fields: GatewaySessionFields },
    refusals: ['gateway_already_connected', 'address_space_exhausted'],
    response: data(v.object({ id: v.string(), gateway: Gateway, ...Lease.entries })),
    location: true,
  },
  ({ caller, subject, input }) => startSession(caller, subject, input),
)
