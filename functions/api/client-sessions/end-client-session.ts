import { endClientSession } from '#shared/access/client-session.ts'
import { idOnly, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'DELETE /client/sessions/{id}',
  { summary: 'End a client session', credential: 'client', response: idOnly },
  ({ caller, params }) => endClientSession(caller, params.id),
)
