import type { Operation } from '#shared/http/operation.ts'
import { refusalHeadersOf } from './headers.ts'
import type { Json } from './schemas.ts'

const errorExample = (error: string): Json => ({ [error]: { error } })

/** Error responses of operations under `/v0`, with the condition under which each applies (`/v0` contract, 4). */
const errors: { status: number; text: string; examples: Json; when?: (operation: Operation) => unknown }[] = [
  {
    status: 400,
    text: 'Invalid JSON, a missing envelope, or an invalid `limit` or `page_cursor`.',
    examples: errorExample('bad_request'),
    when: ({ body, filters }) => body ?? filters,
  },
  {
    status: 401,
    text: 'The token is missing or not accepted.',
    examples: {
      unauthenticated: { errors: { auth: 'unauthenticated' } },
      invalid_token: { errors: { auth: 'invalid_token' } },
    },
  },
  { status: 403, text: 'The scopes of the token do not allow the request.', examples: errorExample('forbidden') },
  {
    status: 404,
    text: 'The object does not exist.',
    examples: errorExample('not_found'),
    when: ({ path }) => path.includes('{'),
  },
  {
    status: 413,
    text: 'The body of the request, or the list, is too large.',
    examples: errorExample('payload_too_large'),
    when: ({ body, filters }) => body ?? filters,
  },
  {
    status: 422,
    text: 'The fields are invalid, or the change is not allowed.',
    examples: { invalid: { errors: { email: ["can't be blank"] } } },
    when: ({ body, method, path }) => body ?? (method === 'DELETE' && path.includes('users')),
  },
  { status: 429, text: 'Too many requests.', examples: errorExample('too_many_requests') },
  { status: 500, text: 'An unexpected error.', examples: errorExample('internal_error') },
  {
    status: 503,
    text: 'The service could not complete the request; retry later.',
    examples: errorExample('service_unavailable'),
  },
]

const schema: Json = {
  type: 'object',
  properties: {
    error: { type: 'string', description: 'Reason of the error.' },
    errors: {
      type: 'object',
      description: 'Messages by field, or under `auth` the reason for which the token is not accepted.',
    },
    detail: { type: 'string', description: 'How to solve the problem.' },
  },
}

export function v0ErrorResponses(operation: Operation, components: Record<string, Json>): Json {
  const possible = errors.filter(({ when }) => !when || Boolean(when(operation)))
  return Object.fromEntries(
    possible.map(({ status, text, examples }) => {
      const name = `V0.${status}`
      const exampleEntries = Object.entries(examples).map(([key, value]) => [
        key,
        { summary: `${status} ${key}`, value },
      ])
      components[name] ??= {
        description: text,
        headers: refusalHeadersOf(status, 'x-request-id', 'Deprecation'),
        content: { 'application/json': { schema, examples: Object.fromEntries(exampleEntries) } },
      }
      return [status, { $ref: `#/components/responses/${name}` }]
    }),
  )
}
