import { STATUS_CODES } from 'node:http'
import { type ErrorCode, errorCodes, fixedDetails } from '#shared/core/errors.ts'
import type { Operation } from '#shared/http/operation.ts'
import { isV0 } from '#shared/http/v0-headers.ts'
import { headerRef } from './header-ref.ts'
import type { Json } from './schemas.ts'
import { v0ErrorResponses } from './v0-errors.ts'

const when = (condition: unknown, ...codes: ErrorCode[]): ErrorCode[] => (condition ? codes : [])

/** The codes an operation can answer with: those of its steps (A4, P1.1, L8), and the refusals that its contract names. */
export function codesOf(operation: Operation): ErrorCode[] {
  const { credential = 'api', method, path, permission, body, filters, parameters, feature, current } = operation
  const api = credential === 'api'
  const ingest = credential === 'ingest'
  const changes = method !== 'GET' && permission?.endsWith(':write')
  return [
    ...when(body, 'bad_request', 'invalid_json'),
    ...when(path.includes('{'), 'invalid_path_parameter', 'not_found'),
    ...when(filters || parameters?.limit, 'invalid_limit', 'invalid_page_cursor'),
    ...when(filters && Object.keys(filters).length > 0, 'invalid_filter'),
    ...when(
      changes && method === 'POST',
      'invalid_idempotency_key',
      'idempotency_in_progress',
      'idempotency_key_reused',
    ),
    'unauthorized',
    'forbidden',
    ...when(permission, 'insufficient_scope'),
    ...when(feature, 'feature_not_enabled'),
    ...when(api, 'not_acceptable'),
    ...when(current || (changes && method !== 'POST'), 'precondition_failed'),
    'payload_too_large',
    ...when(body && !ingest, 'validation_failed'),
    'rate_limited',
    'internal_error',
    'unavailable',
    ...(operation.refusals ?? []),
  ]
}

/** The example of each code that an operation answers with, once. */
export const problemExamples = (operations: Operation[]): Json => {
  const used = new Set<string>(operations.filter(({ path }) => !isV0(path)).flatMap(codesOf))
  return Object.fromEntries(
    Object.entries(errorCodes)
      .filter(([code]) => used.has(code))
      .map(([code, rule]) => [
        code,
        {
          summary: `${rule.status} ${code}`,
          value: {
            type: 'generic' in rule ? 'about:blank' : `/problems/${code}`,
            title: titleOf(rule.status),
            status: rule.status,
            detail: fixedDetails[code as ErrorCode] ?? 'A sentence for this occurrence.',
            code,
            request_id: '0f6b7a52-6a55-4f0e-9d4c-2f1b8c1f7d11',
            ...(code === 'validation_failed' && { errors: { name: ["can't be blank"] } }),
          },
        },
      ]),
  )
}

const titleOf = (status: number): string =>
  ({ 413: 'Content Too Large', 422: 'Unprocessable Content' })[status] ?? STATUS_CODES[status] ?? ''

const headersOf = (status: number): string[] => [
  'x-request-id',
  ...(status === 401 ? ['WWW-Authenticate'] : []),
  ...(status === 429 || status === 503 ? ['Retry-After'] : []),
]

/** Error responses by status; equal ones are put into `components` once. */
export function errorResponses(operation: Operation, components: Record<string, Json>): Json {
  if (isV0(operation.path)) return v0ErrorResponses(operation, components)
  const byStatus = Map.groupBy([...new Set(codesOf(operation))].sort(), (code) => errorCodes[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const name = [titleOf(status).replaceAll(' ', ''), ...codes].join('.')
      components[name] ??= {
        description: `${titleOf(status)}: ${codes.map((code) => `\`${code}\``).join(', ')}`,
        headers: Object.fromEntries(headersOf(status).map((header) => [header, headerRef(header)])),
        content: {
          'application/problem+json': {
            schema: { $ref: '#/components/schemas/Problem' },
            examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
          },
        },
      }
      return [status, { $ref: `#/components/responses/${name}` }]
    }),
  )
}
