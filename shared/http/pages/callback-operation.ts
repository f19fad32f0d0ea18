import * as v from 'valibot'
import { callbackPath } from '../../domain/auth-providers/auth-provider.ts'
import { completeSignIn } from '../../sign-in/browser/complete-sign-in.ts'
import { type Endpoint, type Handler, operation } from '../lambda.ts'
import { refusalPage } from './sign-in-pages.ts'

const fromProvider = (description: string) => ({ type: 'string', description })

/** Renders errors as HTML for browsers: a person redirected here by a provider cannot do anything with problem+json. */
function forBrowsers(endpoint: Endpoint): Endpoint {
  const handler: Handler = async (event, context) => {
    const answer = await endpoint(event, context)
    const { statusCode: status = 200, headers = {} } = answer
    if (status < 400 || !event.headers.accept?.toLowerCase().includes('text/html')) return answer
    const advice = status === 429 ? 'Wait a minute, then begin anew' : 'Begin anew'
    const page = refusalPage({
      status,
      title: 'You were not signed in',
      text: `${advice} in your client or portal. A sign-in can be used once, and takes ten minutes at most.`,
      requestId: String(headers['x-request-id']),
    })
    return { ...page, headers: { ...headers, ...page.headers } }
  }
  return Object.assign(handler, { operation: endpoint.operation })
}

/** Redirect URI of providers (I2.2); an account's own provider is named in its path. */
export const callbackAt = (path: `/${string}`, summary: string) =>
  forBrowsers(
    operation(
      `GET ${path}`,
      {
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
    ),
  )
