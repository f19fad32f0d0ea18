import { isSameOrigin } from '#shared/auth/console-cookie.ts'
import { ApiError } from '#shared/core/errors.ts'
import { data, operation } from '#shared/http/lambda.ts'
import { openConsoleSession } from '#shared/sign-in/browser/open-console-session.ts'
import { RedeemFields } from '#shared/sign-in/browser/redeem-code.ts'
import { ConsoleSession } from '#shared/sign-in/sessions/console-session.ts'

export const handler = operation(
  'POST /sign_in/session',
  {
    summary: 'Exchange the code of a portal sign-in for a session in a cookie',
    credential: 'none',
    step: 'token',
    body: { envelope: 'sign_in', fields: RedeemFields },
    refusals: ['unauthorized'],
    response: data(ConsoleSession),
    secret: true,
  },
  async ({ draft, origin, headers }) => {
    // Refuses pages of other origins, which could otherwise sign a person in as somebody else (login CSRF).
    if (!isSameOrigin(headers)) throw new ApiError('forbidden', 'Only a page of this service can open this session.')
    return openConsoleSession(draft(), origin)
  },
)
