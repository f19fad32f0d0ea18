import { data, operation } from '#shared/http/lambda.ts'
import { ConsoleSession, readConsoleSession } from '#shared/sign-in/sessions/console-session.ts'

export const handler = operation(
  'GET /sign_in/session',
  {
    summary: 'Return the session of the caller and the number of changes',
    credential: 'session',
    response: data(ConsoleSession),
  },
  async ({ caller }) => ({ data: await readConsoleSession(caller) }),
)
