import * as v from 'valibot'
import { callbackPath } from '../domain/auth-providers/callback-uri.ts'
import { completeSignIn } from '../sign-in/browser/complete-sign-in.ts'
import { operation } from './operation.ts'

const fromProvider = (description: string) => ({ type: 'string', description })

/** An address that providers lead back to (I2.2): one of a provider's own names it in its path. */
export const callbackAt = (path: `/${string}`, summary: string) =>
  operation(
    {
      method: 'GET',
      path,
      summary,
      credential: 'none',
      step: 'return',
      parameters: {
        state: fromProvider('Identifies the pending sign-in; made by this service, good once.'),
        code: fromProvider('What the provider gives for the person.'),
        error: fromProvider('Why it gives nothing.'),
        iss: fromProvider('The provider, where it says so (RFC 9207).'),
      },
      refusals: ['bad_request'],
      response: v.object({ location: v.string() }),
      status: 303,
    },
    ({ params, query }) => completeSignIn(callbackPath(params.auth_provider_id ?? null), query),
  )
