import type { Operation } from '#shared/http/operation.ts'
import { isV0 } from '#shared/http/v0-headers.ts'
import type { Json } from './schemas.ts'

const header = (description: string, example: unknown, type = 'string'): Json => ({
  description,
  schema: { type },
  example,
})

const requestId = '0f6b7a52-6a55-4f0e-9d4c-2f1b8c1f7d11'
const tag = '"q3XcVh0yQ5mWz1aB.7GdK2sLp9TfR4uYe"'
const path = '/groups/01932c7e-8a4b-7c3d-9f21-5b6a7c8d9e0f'

export const responseHeaders: Record<string, Json> = {
  'x-request-id': header('Identifies this request. A valid identifier sent by the caller is kept.', requestId),
  'Cache-Control': header(
    '`no-store` for a response with a secret, otherwise `private, no-cache`.',
    'private, no-cache',
  ),
  ETag: header('Opaque tag of the object, for `If-Match` and `If-None-Match`.', tag),
  Location: header('Path of the new object, or URL of a redirect.', path),
  'RateLimit-Policy': header('Size of the bucket, and the seconds in which it refills.', '"account";q=500;w=10'),
  RateLimit: header('Remaining requests, and the seconds until the bucket is full.', '"account";r=499;t=1'),
  'Idempotent-Replayed': header(
    '`true` when the response repeats that of an earlier request with this `Idempotency-Key`.',
    'true',
  ),
  Deprecation: header('Time since which the legacy API is deprecated (RFC 9745).', '@1735689600'),
  Link: header('Link to the successor in the current API.', '</actors>; rel="successor-version"'),
  'Retry-After': header('Whole seconds to wait.', 1, 'integer'),
  'WWW-Authenticate': header('The scheme to authenticate with.', 'Bearer'),
}

const parameter = (name: string, description: string, example: string, schema: Json = {}): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string', ...schema },
  example,
})

export const requestHeaders: Record<string, Json> = {
  RequestId: parameter(
    'x-request-id',
    'Identifies this request in responses and logs: 1 to 200 letters, digits, `.`, `_` or `-`. Any other value is replaced by a UUID.',
    'my-request-1',
  ),
  ContentEncoding: parameter('Content-Encoding', 'Compression of the request body.', 'identity', {
    enum: ['identity', 'gzip'],
  }),
  IdempotencyKey: parameter(
    'Idempotency-Key',
    'Stores the first response for this key for 24 hours and returns it again, so that a `POST` can be retried safely.',
    '3c5a9a6e-create-group',
    { pattern: '^[!-~]{1,255}$' },
  ),
  IfMatch: parameter('If-Match', 'Changes the object only if it still has this `ETag`; otherwise 412.', tag),
  IfNoneMatch: parameter('If-None-Match', 'Returns 304 without a body if the object still has this `ETag`.', tag),
}

const isAccountApi = ({ credential = 'api', path }: Operation): boolean => credential === 'api' && !isV0(path)

/** True for a `GET` that returns a single object with an entity tag (A8.2). */
export const readsOne = (operation: Operation): boolean =>
  operation.method === 'GET' && isAccountApi(operation) && !operation.filters && !operation.parameters

const canBeRepeated = (operation: Operation): boolean =>
  operation.method === 'POST' && operation.permission?.endsWith(':write') === true && isAccountApi(operation)

export function requestHeadersOf(operation: Operation): Json[] {
  const { etagFrom, body } = operation
  const names = {
    RequestId: true,
    ContentEncoding: body?.encodings,
    IdempotencyKey: canBeRepeated(operation),
    IfMatch: etagFrom,
    IfNoneMatch: readsOne(operation),
  }
  const applicableNames = Object.entries(names).filter(([, applies]) => applies)
  return applicableNames.map(([name]) => ({ $ref: `#/components/parameters/${name}` }))
}

export function successHeadersOf(operation: Operation, status: number): Json {
  const { method, etagFrom, location, path } = operation
  return referTo([
    ...['x-request-id', 'Cache-Control', 'RateLimit-Policy', 'RateLimit'],
    ...(readsOne(operation) || (etagFrom && method !== 'DELETE') || (location && !isV0(path)) ? ['ETag'] : []),
    ...((location && status === 201) || status === 303 ? ['Location'] : []),
    ...(canBeRepeated(operation) ? ['Idempotent-Replayed'] : []),
    ...(isV0(path) ? ['Deprecation', 'Link'] : []),
  ])
}

export const refusalHeadersOf = (status: number, ...common: string[]): Json =>
  referTo([
    ...common,
    ...(status === 401 ? ['WWW-Authenticate'] : []),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
  ])

const referTo = (names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
