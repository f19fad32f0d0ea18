import * as v from 'valibot'
import { callbackPath } from '../../domain/auth-providers/auth-provider.ts'
import { completeSignIn } from '../../sign-in/browser/complete-sign-in.ts'
import { type Endpoint, type Handler, operation } from '../lambda.ts'
import { refusalPage } from './sign-in-pages.ts'

const fromProvider = (description: string) => ({ type: 'string', description })

/** Renders errors as HTML, because a person whom a provider redirects here cannot use problem+json. */
function forBrowsers(endpoint: Endpoint): Endpoint {
  const handler: Handler = async (event, context) => {
    const answer = await endpoint(event, context)
    const { statusCode: status = 200, headers = {} } = answer
    if (status < 400 || !event.headers.accept?.toLowerCase().includes('text/html')) return answer
    const advice = status === 429 ? 'Wait a minute, then start again' : 'Start again'
    const page = refusalPage({
      status,
      title: 'You were not signed in',
      text: `${advice} from your client or portal. Each sign-in works only once and expires after ten minutes.`,
      requestId: String(headers['x-request-id']),
    })
    return { ...page, headers: { ...headers, ...page.headers } }
  }
  return Object.assign(handler, { operation: endpoint.operation })
}

/** Creates the operation at the redirect URI of auth providers (I2.2). The path may contain the id of an account's provider. */
export const callbackAt = (path: `/${string}`, summary: string) =>
  forBrowsers(
    operation(
      `GET ${path}`,
      {
        summary,
        credential: 'none',
        step: 'return',
        parameters: {
          state: fromProvider('Identifies the pending sign-in. Created by this service and valid once.'),
          code: fromProvider('Authorization code that the provider issued for the person.'),
          error: fromProvider('Error code of the provider, instead of `code`.'),
          iss: fromProvider('Issuer of the provider, if the provider sends it (RFC 9207).'),
        },
        refusals: ['bad_request'],
        response: v.object({ location: v.string() }),
        status: 303,
      },
      ({ params, query }) => completeSignIn(callbackPath(params.auth_provider_id ?? null), query),
    ),
  )
