import { basename } from 'node:path'
import type { OperationSource } from '#functions/operations.ts'
import { errorCodes } from '#shared/core/errors.ts'
import { pathIdSchema, uuidSchema } from '#shared/core/ids.ts'
import type { Operation } from '#shared/http/operation.ts'
import { isV0 } from '#shared/http/v0-headers.ts'
import type { JsonSchema } from '#shared/values/field.ts'
import { maxKeys } from '#shared/values/too-many-keys.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { errorResponses, problemExamples } from './errors.ts'
import { exampleOf } from './examples.ts'
import { readsOne, requestHeaders, requestHeadersOf, responseHeaders, successHeadersOf } from './headers.ts'
import { introduction } from './introduction.ts'
import { parameterText } from './parameter-texts.ts'
import type { Parts } from './parts.ts'
import { described, type Json, Schemas, tidy } from './schemas.ts'
import { nounOf, tagGroups, tagOf, tagTexts, titleOf } from './tags.ts'

const { version } = packageJson
const uuidExample = '01932c7e-8a4b-7c3d-9f21-5b6a7c8d9e0f'

/** The identifiers of a path: those of A6.1, or of the form that the contract gives them. */
const pathParameters = ({ path, identifiers = {} }: Operation): Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const form = isV0(path) ? uuidSchema : pathIdSchema
    const { description, examples = [uuidExample], ...schema }: JsonSchema = identifiers[name] ?? form
    const object = name === 'id' ? nounOf(path) : name.replace(/_id$/, '').replaceAll('_', ' ')
    return {
      name,
      in: 'path',
      required: true,
      description: identifiers[name] ? description : `The ${object} that is meant: ${description}.`,
      schema,
      example: [examples].flat()[0],
    }
  })

const query = (name: string, schema: Json, description: string): Json => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
})

const paging = [
  query(
    'limit',
    { type: 'integer', default: 50 },
    'Most rows a page holds, 1 to 100; what is outside counts as the nearest of them.',
  ),
  query(
    'page_cursor',
    { type: 'string', minLength: 1 },
    '`next_page` or `prev_page` of an earlier answer to the same list with the same filters.',
  ),
]

const queryParameters = ({ path, filters, parameters = {} }: Operation): Json[] => [
  ...Object.entries(parameters).map(
    ([name, { description, ...schema }]) =>
      (description ? undefined : paging.find((known) => known.name === name)) ??
      query(name, schema, String(description ?? parameterText(name, tagOf(path)))),
  ),
  ...(filters
    ? [
        ...paging,
        ...Object.entries(filters).map(([name, { schema }]) => query(name, schema, parameterText(name, tagOf(path)))),
      ]
    : []),
]

function requestBody({ path, method, body }: Operation, { schemas }: Parts): Json | undefined {
  if (!body) return undefined
  const { envelope, shape = 'object', optional = false, fields } = body
  const value: Json = fields
    ? { ...schemas.of(fields, tagOf(path)), maxProperties: maxKeys }
    : { type: shape === 'list' ? 'array' : 'object', ...tidy(body.value ?? {}, tagOf(path)) }
  const content = (schema: Json) => ({
    'application/json': { schema, example: exampleOf(schema, schemas.components) },
  })
  if (envelope === null) return { required: !optional, description: 'An object.', content: content(value) }
  const schema = {
    type: 'object',
    properties: { [envelope]: { description: envelopeText(method, shape), ...value } },
    // One that can be left out is there, or nothing else is.
    ...(optional ? { anyOf: [{ required: [envelope] }, { maxProperties: 0 }] } : { required: [envelope] }),
  }
  return {
    required: !optional,
    description: `An object with the key \`${envelope}\`.`,
    content: content(schema),
  }
}

/** Description of the object or list under the envelope of a body. */
const envelopeText = (method: string, shape: 'object' | 'list'): string => {
  if (shape === 'list') return 'All entries from now on: what is not in this list is removed.'
  return method === 'POST'
    ? 'What to create or start; fields that are not known are ignored.'
    : 'Fields to change; those that are left out stay as they are.'
}

const problem: Json = {
  title: 'Problem',
  description: 'What went wrong (RFC 9457).',
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: {
      type: 'string',
      description:
        '`about:blank`, or `/problems/<code>`. It is an identifier to compare, not an address: nothing is served there.',
      examples: ['/problems/invalid_json', 'about:blank'],
    },
    title: described('title', { type: 'string' }, ''),
    status: { type: 'integer', description: 'Same as the HTTP status.', examples: [404] },
    detail: described('detail', { type: 'string' }, ''),
    code: { ...described('code', { type: 'string' }, ''), enum: Object.keys(errorCodes) },
    request_id: described('request_id', { type: 'string' }, ''),
    errors: described('errors', { type: 'object' }, ''),
    required_scope: { type: 'string', description: 'The scope that the token lacks; with `insufficient_scope`.' },
    limit: { type: 'string', description: 'Which limit of the account was hit, only with `limit_reached`.' },
    feature: { type: 'string', description: 'The feature that the account lacks; with `feature_not_enabled`.' },
  },
}

const successTexts: Record<number, string> = {
  201: 'Created.',
  202: 'Accepted.',
  303: 'The browser goes on to the `redirect_uri` of the start, with its `state` and a `code`, or with `error`.',
}

function successResponses(operation: Operation, { schemas }: Parts): Json {
  const { status = 200, repeatable, canContinue } = operation
  const schema = schemas.of(operation.response, tagOf(operation.path))
  const contentOf = (schema: Json) => ({
    content: { 'application/json': { schema, example: exampleOf(schema, schemas.components) } },
  })
  const success = (code: number, description: string) => ({
    description,
    headers: successHeadersOf(operation, code),
    ...(code !== 204 && code !== 303 && contentOf(schema)),
  })
  return {
    ...(repeatable && { 200: success(200, 'It was there already.') }),
    [status]: success(status, successTexts[status] ?? 'Done.'),
    ...(canContinue && {
      202: success(202, 'Accepted: the rest is done after this answer, as `metadata.pending` tells.'),
    }),
    ...(readsOne(operation) && {
      304: { description: 'The caller has this object already.', headers: successHeadersOf(operation, 304) },
    }),
  }
}

const credentials = {
  api: 'An API token, or the token of a portal session.',
  portal: 'The token of a portal session.',
  client: 'A client token: the secret of a client.',
  gateway: 'A gateway token: the secret of a gateway.',
  ingest: 'An ingest token, which comes with an authorization.',
}

const takes = (credential: NonNullable<Operation['credential']>): string =>
  credential === 'none'
    ? 'Needs no credential.'
    : `Takes ${credentials[credential].charAt(0).toLowerCase()}${credentials[credential].slice(1)}`

function operationObject({ operation, file }: OperationSource, method: string, parts: Parts): Json {
  const { credential = 'api', permission, path, summary, alias } = operation
  const notes = [
    `${summary}.`,
    permission ? `Needs the scope \`${permission}\`.` : takes(credential),
    ...(alias ? ['`PUT` and `PATCH` mean the same: only the keys that are sent change.'] : []),
  ]
  return {
    operationId: operationId(file, operation.alias === method ? method : null),
    summary,
    description: notes.join(' '),
    tags: [tagOf(path)],
    security: credential === 'none' ? [] : [{ [`${credential}_token`]: [] }],
    parameters: [...pathParameters(operation), ...queryParameters(operation), ...requestHeadersOf(operation)],
    requestBody: requestBody(operation, parts),
    responses: { ...successResponses(operation, parts), ...errorResponses(operation, parts) },
  }
}

/** What clients that are made of the document call it: `updateGroup` after its file, and `updateGroupWithPut` for an alias. */
const operationId = (file: string, alias: string | null): string => {
  const [name = '', ...words] = [...basename(file, '.ts').split('-'), ...(alias ? ['with', alias.toLowerCase()] : [])]
  return name + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

/** The OpenAPI 3.1 document of the operations. */
export function openApiDocument(sources: OperationSource[], names: Map<object, string>): Json {
  const parts: Parts = { schemas: new Schemas(names), responses: {} }
  const paths: Record<string, Json> = {}
  for (const source of sources) {
    const { operation } = source
    for (const method of [operation.method, ...(operation.alias ? [operation.alias] : [])]) {
      paths[operation.path] = {
        ...paths[operation.path],
        [method.toLowerCase()]: operationObject(source, method, parts),
      }
    }
  }
  const used = new Set(sources.map(({ operation }) => tagOf(operation.path)))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Network Access Administration',
      version,
      description: introduction,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: '/', description: 'The deployment that serves this document.' }],
    security: [{ api_token: [] }],
    tags: [...used].sort().map((name) => ({ name, 'x-displayName': titleOf(name), description: tagTexts[name] })),
    'x-tagGroups': tagGroups,
    paths,
    components: {
      securitySchemes: Object.fromEntries(
        Object.entries(credentials).map(([kind, description]) => [
          `${kind}_token`,
          { type: 'http', scheme: 'bearer', description },
        ]),
      ),
      schemas: { Problem: problem, ...sorted(parts.schemas.components) },
      parameters: requestHeaders,
      headers: responseHeaders,
      responses: sorted(parts.responses),
      examples: problemExamples(sources.map(({ operation }) => operation)),
    },
  }
}

const sorted = (entries: Record<string, Json>): Record<string, Json> =>
  Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)))
