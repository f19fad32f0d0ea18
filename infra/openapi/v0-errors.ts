import type { Operation } from '#shared/http/operation.ts'
import { headerRef } from './header-ref.ts'
import type { Json } from './schemas.ts'

const named = (error: string): Json => ({ error })

/** When an operation under `/v0` answers with an error status, and what it then says (`/v0` contract, 4). */
const errors: { status: number; text: string; examples: Json; when?: (operation: Operation) => unknown }[] = [
  {
    status: 400,
    text: 'Broken JSON, no wrapper, or a bad `limit` or `page_cursor`.',
    examples: { bad_request: named('bad_request') },
    when: ({ body, filters }) => body ?? filters,
  },
  {
    status: 401,
    text: 'No token, or one that is not accepted.',
    examples: {
      unauthenticated: { errors: { auth: 'unauthenticated' } },
      invalid_token: { errors: { auth: 'invalid_token' } },
    },
  },
  { status: 403, text: 'No scope of the token covers the request.', examples: { forbidden: named('forbidden') } },
  {
    status: 404,
    text: 'There is no such object.',
    examples: { not_found: named('not_found') },
    when: ({ path }) => path.includes('{'),
  },
  {
    status: 413,
    text: 'The body of the request, or the list, is too large.',
    examples: { payload_too_large: named('payload_too_large') },
    when: ({ body, filters }) => body ?? filters,
  },
  {
    status: 422,
    text: 'The fields are not valid, or the change is not allowed.',
    examples: { invalid: { errors: { email: ["can't be blank"] } } },
    when: ({ body, method, path }) => body ?? (method === 'DELETE' && path.includes('users')),
  },
  { status: 429, text: 'Too many requests.', examples: { too_many_requests: named('too_many_requests') } },
  { status: 500, text: 'An unexpected error.', examples: { internal_error: named('internal_error') } },
  {
    status: 503,
    text: 'The service could not complete the request; retry later.',
    examples: { service_unavailable: named('service_unavailable') },
  },
]

const headersOf = (status: number): string[] => [
  'x-request-id',
  'Deprecation',
  ...(status === 401 ? ['WWW-Authenticate'] : []),
  ...(status === 429 || status === 503 ? ['Retry-After'] : []),
]

const schema: Json = {
  type: 'object',
  properties: {
    error: { type: 'string', description: 'The reason.' },
    errors: { type: 'object', description: 'Field → messages, or `auth` → why the token is not accepted.' },
    detail: { type: 'string', description: 'What to do about it.' },
  },
}

/** Error responses of an operation of the legacy API; each is put into `components` once. */
export function v0ErrorResponses(operation: Operation, components: Record<string, Json>): Json {
  const possible = errors.filter(({ when }) => !when || Boolean(when(operation)))
  return Object.fromEntries(
    possible.map(({ status, text, examples }) => {
      const name = `V0.${status}`
      components[name] ??= {
        description: text,
        headers: Object.fromEntries(headersOf(status).map((header) => [header, headerRef(header)])),
        content: {
          'application/json': {
            schema,
            examples: Object.fromEntries(
              Object.entries(examples).map(([key, value]) => [key, { summary: `${status} ${key}`, value }]),
            ),
          },
        },
      }
      return [status, { $ref: `#/components/responses/${name}` }]
    }),
  )
}
