import { data, operation } from '#shared/http/lambda.ts'
import { readSessionState, SessionState } from '#shared/sign-in/sessions/session-state.ts'

export const handler = operation(
  'GET /sign_in/session',
  {
    summary: 'Return the session of the caller and the number of changes',
    credential: 'session',
    response: data(SessionState),
  },
  async ({ caller }) => ({ data: await readSessionState(caller) }),
)
