import { STATUS_CODES } from 'node:http'
import { type ErrorCode, errorCodes } from '#shared/core/errors.ts'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import type { Operation } from '#shared/http/operation.ts'
import { isV0 } from '#shared/http/v0-headers.ts'
import { exampleOf } from './examples.ts'
import { refusalHeadersOf } from './headers.ts'
import type { Json, Parts, Schemas } from './schemas.ts'
import { openApiTagOf } from './tags.ts'
import { v0ErrorResponses } from './v0-errors.ts'

const codesIf = (condition: unknown, ...codes: ErrorCode[]): ErrorCode[] => (condition ? codes : [])

/** Lists the error codes of an operation: those of its processing steps (A4, P1.1, L8), and those of its contract. */
export function listErrorCodes(operation: Operation): ErrorCode[] {
  const { credential = 'api', method, path, permission, permissionsOf, body, filters, parameters, status } = operation
  const api = credential === 'api'
  const isPublic = credential === 'none'
  const changes = method !== 'GET' && permission?.endsWith(':write')
  return [
    ...codesIf(body, 'bad_request', 'invalid_json'),
    ...codesIf(path.includes('{') && !(isPublic && operation.identifiers), 'invalid_path_parameter'),
    // Excludes callbacks, which report errors in their redirect to the client.
    ...codesIf(path.includes('{') && status !== 303, 'not_found'),
    ...codesIf(filters || parameters?.page_cursor, 'invalid_limit'),
    ...codesIf(filters || parameters?.page_cursor, 'invalid_page_cursor'),
    ...codesIf(filters && Object.keys(filters).length > 0, 'invalid_filter'),
    ...codesIf(
      changes && method === 'POST',
      'invalid_idempotency_key',
      'idempotency_in_progress',
      'idempotency_key_reused',
    ),
    ...codesIf(!isPublic, 'unauthorized'),
    'forbidden',
    ...codesIf(permission || permissionsOf, 'insufficient_scope'),
    ...codesIf(operation.feature, 'feature_not_enabled'),
    ...codesIf(
      api || (isPublic && status !== 303) || credential === 'portal' || credential === 'session',
      'not_acceptable',
    ),
    ...codesIf(operation.etagFrom || (changes && method !== 'POST'), 'precondition_failed'),
    'payload_too_large',
    ...codesIf(body, 'validation_failed'),
    'rate_limited',
    'internal_error',
    'unavailable',
    ...(operation.refusals ?? []),
  ]
}

const sampleDetails: Partial<Record<ErrorCode, string>> = {
  invalid_path_parameter: 'id must be a UUID or 24 hexadecimal characters.',
  insufficient_scope: 'This token lacks the scope groups:write.',
  invalid_filter: 'Invalid value for filter name.',
}

const problemExample = (code: ErrorCode): Json => {
  const rule = errorCodes[code]
  return {
    type: 'generic' in rule ? 'about:blank' : `/problems/${code}`,
    title: titleOf(rule.status),
    status: rule.status,
    detail: rule.detail ?? sampleDetails[code] ?? 'Explanation of this error.',
    code,
    request_id: '0f6b7a52-6a55-4f0e-9d4c-2f1b8c1f7d11',
    ...(code === 'validation_failed' && { errors: { name: ["can't be blank"] } }),
  }
}

export const problemExamples = (operations: Operation[]): Json => {
  const usedCodes = new Set<string>(operations.filter(({ path }) => !isV0(path)).flatMap(listErrorCodes))
  const codes = Object.keys(errorCodes).filter((code): code is ErrorCode => usedCodes.has(code))
  return Object.fromEntries(
    codes.map((code) => [code, { summary: `${errorCodes[code].status} ${code}`, value: problemExample(code) }]),
  )
}

const titleOf = (status: number): string =>
  ({ 413: 'Content Too Large', 422: 'Unprocessable Content' })[status] ?? STATUS_CODES[status] ?? ''

function buildContent({ path, rejection }: Operation, codes: ErrorCode[], schemas: Schemas): Json {
  const problem = { $ref: '#/components/schemas/Problem' }
  if (!rejection || !codes.includes('validation_failed')) {
    const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])
    return { schema: problem, examples: Object.fromEntries(examples) }
  }
  const members = schemas.of(rejection, openApiTagOf(path))
  const example = { ...problemExample('validation_failed'), ...fieldsOf(exampleOf(members, schemas.components)) }
  return { schema: { allOf: [problem, members] }, example }
}

/** Builds error responses by status. Equal responses are shared in `components`. */
export function errorResponses(operation: Operation, { schemas, responses }: Parts): Json {
  if (isV0(operation.path)) return v0ErrorResponses(operation, responses)
  const byStatus = Map.groupBy([...new Set(listErrorCodes(operation))].sort(), (code) => errorCodes[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const content = buildContent(operation, codes, schemas)
      const envelopes = 'example' in content ? [operation.body?.envelope] : []
      const name = [titleOf(status).replaceAll(' ', ''), ...codes, ...envelopes].join('.')
      responses[name] ??= {
        description: `${titleOf(status)}: ${codes.map((code) => `\`${code}\``).join(', ')}`,
        headers: refusalHeadersOf(status, 'x-request-id'),
        content: { 'application/problem+json': content },
      }
      return [status, { $ref: `#/components/responses/${name}` }]
    }),
  )
}
