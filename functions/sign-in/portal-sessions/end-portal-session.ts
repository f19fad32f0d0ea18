import * as v from 'valibot'
import { consoleCookie } from '#shared/auth/console-cookie.ts'
import { env } from '#shared/core/env.ts'
import { data, operation } from '#shared/http/lambda.ts'
import { endPortalSession as end } from '#shared/sign-in/sessions/end-portal-session.ts'

export const handler = operation(
  'DELETE /sign_in/session',
  {
    summary: 'End the portal session of the token',
    credential: 'portal',
    response: data(v.object({ id: v.string(), end_session_url: v.nullable(v.string()) })),
  },
  async ({ author, caller }) => {
    const ended = await end(author, caller.token)
    return { ...ended, ...(env.console && { cookies: [consoleCookie(caller.account.slug, null)] }) }
  },
)
