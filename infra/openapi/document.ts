import type { OperationSource } from '#functions/operations.ts'
import { errorCodes } from '#shared/core/errors.ts'
import type { Operation } from '#shared/http/operation.ts'
import { isV0 } from '#shared/http/v0-headers.ts'
import { errorResponses, problemExamples } from './errors.ts'
import { exampleOf } from './examples.ts'
import { readsOne, requestHeaders, requestHeadersOf, responseHeaders, successHeadersOf } from './headers.ts'
import { described, type Json, Schemas } from './schemas.ts'

type Parts = { schemas: Schemas; responses: Record<string, Json> }

const pathParameters = (path: string): Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: isV0(path)
      ? 'Id of the object, a UUID; of a user also its email.'
      : `${name === 'id' ? 'Id of the object' : `Id of the ${name.replace(/_id$/, '').replaceAll('_', ' ')}`}: a UUID, or 24 hexadecimal characters.`,
    schema: { type: 'string', ...(!isV0(path) && { pattern: '^[0-9a-fA-F-]{24,36}$' }) },
    example: name === 'log_id' ? '06f2b5c4d8e17a3900000000' : '01932c7e-8a4b-7c3d-9f21-5b6a7c8d9e0f',
  }))

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
    { type: 'integer', minimum: 1, maximum: 100, default: 50 },
    'Most rows a page holds; clamped to 1..100.',
  ),
  query(
    'page_cursor',
    { type: 'string' },
    '`next_page` or `prev_page` of an earlier answer to the same list with the same filters.',
  ),
]

const queryParameters = ({ filters, parameters = {} }: Operation): Json[] => [
  ...Object.entries(parameters).map(
    ([name, schema]) =>
      paging.find((known) => known.name === name) ?? query(name, schema, String(described(name, schema).description)),
  ),
  ...(filters
    ? [
        ...paging,
        ...Object.entries(filters).map(([name, { schema }]) =>
          query(name, schema, `Only rows with this ${name.replaceAll('_', ' ')}.`),
        ),
      ]
    : []),
]

function requestBody({ body }: Operation, { schemas }: Parts): Json | undefined {
  if (!body) return undefined
  const { envelope, shape = 'object', optional = false, fields } = body
  const value = fields
    ? schemas.of(fields)
    : { type: shape === 'list' ? 'array' : 'object', ...(shape === 'list' && { items: { type: 'object' } }) }
  const content = (schema: Json) => ({
    'application/json': { schema, example: exampleOf(schema, schemas.components) },
  })
  if (envelope === null) return { required: !optional, description: 'An object.', content: content(value) }
  const schema = {
    type: 'object',
    properties: { [envelope]: { description: `The ${envelope.replaceAll('_', ' ')}.`, ...value } },
    ...(optional ? {} : { required: [envelope] }),
  }
  return {
    required: !optional,
    description: `An object with the key \`${envelope}\`.`,
    content: content(schema),
  }
}

const problem: Json = {
  title: 'Problem',
  description: 'What went wrong (RFC 9457).',
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: {
      type: 'string',
      description: '`about:blank`, or an identifier that is not served.',
      examples: ['about:blank'],
    },
    title: described('title', { type: 'string' }),
    status: { type: 'integer', description: 'Same as the HTTP status.', examples: [404] },
    detail: described('detail', { type: 'string' }),
    code: { ...described('code', { type: 'string' }), enum: Object.keys(errorCodes) },
    request_id: described('request_id', { type: 'string' }),
    errors: { ...described('errors', { type: 'object' }) },
    required_scope: { type: 'string', description: 'The scope that the token lacks; with `insufficient_scope`.' },
    limit: { type: 'string', description: 'The limit that is reached; with `limit_reached`.' },
    feature: { type: 'string', description: 'The feature that the account lacks; with `feature_not_enabled`.' },
  },
}

function successResponses(operation: Operation, { schemas }: Parts): Json {
  const { status = 200, repeatable } = operation
  const schema = schemas.of(operation.response)
  const contentOf = (schema: Json) => ({
    content: { 'application/json': { schema, example: exampleOf(schema, schemas.components) } },
  })
  const success = (code: number, description: string) => ({
    description,
    headers: successHeadersOf(operation, code),
    ...(code !== 204 && contentOf(schema)),
  })
  return {
    ...(repeatable && { 200: success(200, 'It was there already.') }),
    [status]: success(status, status === 201 ? 'Created.' : 'Done.'),
    ...(readsOne(operation) && {
      304: { description: 'The caller has this object already.', headers: successHeadersOf(operation, 304) },
    }),
  }
}

const credentials = {
  api: 'An API token.',
  client: 'A client token: the secret of a client.',
  gateway: 'A gateway token: the secret of a gateway.',
  ingest: 'An ingest token, which comes with an authorization.',
}

function operationObject(operation: Operation, method: string, parts: Parts): Json {
  const { credential = 'api', permission, path, summary, alias } = operation
  const notes = [
    `${summary}.`,
    permission
      ? `Needs the scope \`${permission}\`.`
      : `Takes ${credentials[credential].charAt(0).toLowerCase()}${credentials[credential].slice(1)}`,
    ...(alias ? ['`PUT` and `PATCH` mean the same: only the keys that are sent change.'] : []),
  ]
  return {
    operationId: operationId(path, method),
    summary,
    description: notes.join(' '),
    tags: [tagOf(path)],
    security: [{ [`${credential}_token`]: [] }],
    parameters: [...pathParameters(path), ...queryParameters(operation), ...requestHeadersOf(operation)],
    requestBody: requestBody(operation, parts),
    responses: { ...successResponses(operation, parts), ...errorResponses(operation, parts.responses) },
  }
}

/** `patch_groups_id`: unique, and stable as long as method and path are. */
const operationId = (path: string, method: string): string =>
  `${method.toLowerCase()}${path.replace(/[^a-z0-9]+/gi, '_').replace(/_$/, '')}`

/** A path's last segment that is a collection names the tag: what is below `/actors/{id}/client_tokens` is client tokens. */
function tagOf(path: string): string {
  const [first = '', ...rest] = path.split('/').filter((part) => part !== '' && !part.startsWith('{'))
  if (first === 'v0' || ['gateway', 'client', 'ingestion', 'access'].includes(first)) return first
  return rest.find((part) => part.endsWith('s')) ?? first
}

const surfaces: Record<string, string> = {
  account: 'The account, its limits and their use.',
  logs: 'What was changed, what connected, what flowed, and who asked.',
  v0: 'The legacy API.',
  gateway: 'What gateways call.',
  client: 'What clients call.',
  ingestion: 'Where gateways and clients report flows.',
  access: 'Questions about who may reach what.',
}

/** The OpenAPI 3.1 document of the operations. */
export function openApiDocument(sources: OperationSource[], names: Map<object, string>): Json {
  const parts: Parts = { schemas: new Schemas(names), responses: {} }
  const paths: Record<string, Json> = {}
  for (const { operation } of sources) {
    for (const method of [operation.method, ...(operation.alias ? [operation.alias] : [])]) {
      paths[operation.path] = {
        ...paths[operation.path],
        [method.toLowerCase()]: operationObject(operation, method, parts),
      }
    }
  }
  const tags = [...new Set(sources.map(({ operation }) => tagOf(operation.path)))].sort()
  return {
    openapi: '3.1.0',
    info: {
      title: 'Network Access Administration',
      version: '1.0.0',
      description: 'Who may reach what, who changed it, and what really flowed.',
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: '/', description: 'The deployment that serves this document.' }],
    security: [{ api_token: [] }],
    tags: tags.map((name) => ({
      name,
      description: surfaces[name] ?? `The ${name.replaceAll('_', ' ')} of the account.`,
    })),
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
