import { endGatewaySession } from '#shared/access/gateway-session.ts'
import { idOnly, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'DELETE /gateway/sessions/{id}',
  { summary: 'End a session of a gateway', credential: 'gateway', response: idOnly },
  ({ caller, params }) => endGatewaySession(caller, params.id),
)
