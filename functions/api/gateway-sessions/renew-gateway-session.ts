import * as v from 'valibot'
import { GatewayAuthorization } from '#shared/access/gateway-authorizations.ts'
import { renewGatewaySession } from '#shared/access/gateway-session.ts'
import { HeartbeatFields } from '#shared/access/start-gateway-session.ts'
import { Gateway } from '#shared/domain/gateways/gateway.ts'
import { SessionLease } from '#shared/domain/sessions/lease.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'PUT /gateway/sessions/{id}',
  {
    summary: 'Renew a gateway session and get its authorizations',
    credential: 'gateway',
    body: { envelope: 'session', optional: true, fields: HeartbeatFields },
    response: data(
      v.object({
        id: v.string(),
        gateway: Gateway,
        ...SessionLease.entries,
        since: v.string(),
        complete: v.boolean(),
        authorizations: v.nullable(v.array(GatewayAuthorization)),
        added: v.nullable(v.array(GatewayAuthorization)),
        removed: v.nullable(v.array(v.string())),
        more: v.boolean(),
      }),
    ),
    secret: true,
  },
  ({ caller, subject, params, input }) => renewGatewaySession(caller, subject, params.id, input().since ?? null),
)
