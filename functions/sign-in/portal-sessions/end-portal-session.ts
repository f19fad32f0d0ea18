import * as v from 'valibot'
import { data, operation } from '#shared/http/lambda.ts'
import { endPortalSession as end } from '#shared/sign-in/sessions/end-portal-session.ts'

export const handler = operation(
  'DELETE /sign_in/session',
  {
    summary: 'End the portal session of the token',
    credential: 'portal',
    response: data(v.object({ id: v.string(), end_session_url: v.nullable(v.string()) })),
  },
  ({ author, caller }) => end(author, caller.token),
)
