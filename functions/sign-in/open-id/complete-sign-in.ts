import * as v from 'valibot'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { forBrowsers } from '#shared/http/pages/for-browsers.ts'
import { completeSignIn as complete } from '#shared/sign-in/complete-sign-in.ts'

const fromProvider = (description: string) => ({ type: 'string', description })

export const completeSignIn = operation(
  {
    method: 'GET',
    path: '/sign_in/callback',
    summary: 'Lead back from a provider to where the sign-in was started',
    credential: 'none',
    step: 'return',
    parameters: {
      state: fromProvider('Which sign-in it is.'),
      code: fromProvider('What the provider gives for the person.'),
      error: fromProvider('Why it gives nothing.'),
      iss: fromProvider('The provider, where it says so (RFC 9207).'),
    },
    refusals: ['bad_request'],
    response: v.object({ location: v.string() }),
    status: 303,
  },
  ({ query }) => complete(query),
)

export const handler = forBrowsers(lambda(completeSignIn))
