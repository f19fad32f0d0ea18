import type { OperationSource } from '#functions/operations.ts'
import { errorCodes } from '#shared/core/errors.ts'
import { pathIdSchema, uuidSchema } from '#shared/core/ids.ts'
import type { Operation } from '#shared/http/operation.ts'
import { isV0 } from '#shared/http/v0-headers.ts'
import { type JsonSchema, maxKeys } from '#shared/values/field.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { errorResponses, problemExamples } from './errors.ts'
import { exampleOf } from './examples.ts'
import { parameterText } from './field-texts.ts'
import { readsOne, requestHeaders, requestHeadersOf, responseHeaders, successHeadersOf } from './headers.ts'
import { introduction } from './introduction.ts'
import { describeField, type Json, type Parts, Schemas, simplify } from './schemas.ts'
import { nounOf, openApiTagOf, tagGroups, tagTexts, titleOf } from './tags.ts'

const uuidExample = '01932c7e-8a4b-7c3d-9f21-5b6a7c8d9e0f'

/** Builds the path parameters. They are identifiers (A6.1), or have the format given in the operation's contract. */
const pathParameters = ({ path, identifiers = {} }: Operation): Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const form = isV0(path) ? uuidSchema : pathIdSchema
    const { description, examples = [uuidExample], ...schema }: JsonSchema = identifiers[name] ?? form
    const object = name === 'id' ? nounOf(path) : name.replace(/_id$/, '').replaceAll('_', ' ')
    return {
      name,
      in: 'path',
      required: true,
      description: identifiers[name] ? description : `Identifier of the ${object}: ${description}.`,
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
    'Maximum number of rows of a page, 1 to 1,000. A value outside this range is changed to the nearest limit.',
  ),
  query(
    'page_cursor',
    { type: 'string', minLength: 1 },
    '`next_page` or `prev_page` of an earlier response of the same list with the same filters.',
  ),
]

function queryParameters({ path, filters, parameters = {} }: Operation, { schemas }: Parts): Json[] {
  const tag = openApiTagOf(path)
  const ownParameters = Object.entries(parameters).map(([name, { description, ...schema }]) => {
    const pagingParameter = description ? undefined : paging.find((parameter) => parameter.name === name)
    return pagingParameter ?? query(name, schema, String(description ?? parameterText(name, tag)))
  })
  const selecting = Object.entries(filters ?? {}).map(([name, filter]) =>
    query(name, schemas.of(filter, tag), parameterText(name, tag)),
  )
  return [...ownParameters, ...(filters ? [...paging, ...selecting] : [])]
}

const jsonContent = (schema: Json, { schemas }: Parts): Json => ({
  'application/json': { schema, example: exampleOf(schema, schemas.components) },
})

function requestBody({ path, method, body }: Operation, parts: Parts): Json | undefined {
  if (!body) return undefined
  const { envelope, shape = 'object', optional = false, fields } = body
  const required = !optional
  const value: Json = fields
    ? { ...parts.schemas.of(fields, openApiTagOf(path)), maxProperties: maxKeys }
    : { type: shape === 'list' ? 'array' : 'object', ...simplify(body.value ?? {}, openApiTagOf(path)) }
  if (envelope === null) return { required, description: 'A JSON object.', content: jsonContent(value, parts) }
  const schema = {
    type: 'object',
    properties: { [envelope]: { description: envelopeText(method, shape), ...value } },
    // Allows an empty body if the envelope is optional.
    ...(optional ? { anyOf: [{ required: [envelope] }, { maxProperties: 0 }] } : { required: [envelope] }),
  }
  return { required, description: `An object with the key \`${envelope}\`.`, content: jsonContent(schema, parts) }
}

const envelopeText = (method: string, shape: 'object' | 'list'): string => {
  if (shape === 'list') return 'The complete new list. Entries that are not in it are removed.'
  return method === 'POST'
    ? 'Fields of the new object. Unknown fields are ignored.'
    : 'Fields to change. Fields that are left out keep their values.'
}

const field = (name: string, type: string, more: Json = {}): Json => ({ ...describeField(name, { type }, ''), ...more })

const problem: Json = {
  title: 'Problem',
  description: 'Description of an error (RFC 9457).',
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: {
      type: 'string',
      description: '`about:blank`, or `/problems/<code>`. An identifier for comparison, not a page to open.',
      examples: ['/problems/invalid_json', 'about:blank'],
    },
    title: field('title', 'string'),
    status: { type: 'integer', description: 'Same as the HTTP status.', examples: [404] },
    detail: field('detail', 'string'),
    code: field('code', 'string', { enum: Object.keys(errorCodes) }),
    request_id: field('request_id', 'string'),
    errors: field('errors', 'object'),
    required_scope: { type: 'string', description: 'The scope that the token lacks. Only with `insufficient_scope`.' },
    limit: { type: 'string', description: 'The limit of the account that was reached. Only with `limit_reached`.' },
    feature: { type: 'string', description: 'The feature that the account lacks. Only with `feature_not_enabled`.' },
  },
}

const successTexts: Record<number, string> = {
  201: 'Created.',
  202: 'Accepted.',
  303: 'Redirects the browser to the `redirect_uri` of the start, with its `state` and a `code` or an `error`.',
}

function successResponses(operation: Operation, parts: Parts): Json {
  const { status, repeatable, canContinue } = operation
  const content = jsonContent(parts.schemas.of(operation.response, openApiTagOf(operation.path)), parts)
  const success = (code: number, description: string) => ({
    description,
    headers: successHeadersOf(operation, code),
    ...(![204, 303, 304].includes(code) && { content }),
  })
  const pending = 'Accepted. The remaining entries are written after this response; `metadata.pending` counts them.'
  return {
    ...(repeatable && { 200: success(200, 'The object already existed.') }),
    [status]: success(status, successTexts[status] ?? 'Done.'),
    ...(canContinue && { 202: success(202, pending) }),
    ...(readsOne(operation) && { 304: success(304, 'Not modified: the object still has this `ETag`.') }),
  }
}

const credentials = {
  api: 'An API token, or the token of a portal session.',
  portal: 'The token of a portal session.',
  client: 'A client token: the secret of a client.',
  gateway: 'A gateway token: the secret of a gateway.',
  ingest: 'An ingest token, which the response of an authorization contains.',
}

function operationObject({ operation, operationId: id }: OperationSource, method: string, parts: Parts): Json {
  const credential = operation.credential === 'session' ? 'api' : (operation.credential ?? 'api')
  const { permission, permissionsOf, path, summary, alias } = operation
  const requiredToken =
    credential === 'none'
      ? 'Requires no credential.'
      : credentials[credential].replace(/^./, (first) => `Requires ${first.toLowerCase()}`)
  const notes = [
    `${summary}.`,
    permission ? `Requires the scope \`${permission}\`.` : requiredToken,
    ...(permissionsOf ? ['Requires the scope `read` of each collection that the query names.'] : []),
    ...(alias ? ['`PUT` and `PATCH` are equivalent: they change only the fields that are sent.'] : []),
  ]
  return {
    operationId: operation.alias === method ? `${id}With${capitalized(method.toLowerCase())}` : id,
    summary,
    description: notes.join(' '),
    tags: [openApiTagOf(path)],
    security: credential === 'none' ? [] : [{ [`${credential}_token`]: [] }],
    parameters: [...pathParameters(operation), ...queryParameters(operation, parts), ...requestHeadersOf(operation)],
    requestBody: requestBody(operation, parts),
    responses: { ...successResponses(operation, parts), ...errorResponses(operation, parts) },
  }
}

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

export function openApiDocument(sources: OperationSource[], names: Map<object, string>): Json {
  const parts: Parts = { schemas: new Schemas(names), responses: {} }
  const paths: Record<string, Json> = {}
  for (const source of sources) {
    const { operation } = source
    for (const method of [operation.method, ...(operation.alias ? [operation.alias] : [])]) {
      const operationItem = operationObject(source, method, parts)
      paths[operation.path] = { ...paths[operation.path], [method.toLowerCase()]: operationItem }
    }
  }
  const usedTags = new Set(sources.map(({ operation }) => openApiTagOf(operation.path)))
  const schemes = Object.entries(credentials).map(([kind, description]) => {
    return [`${kind}_token`, { type: 'http', scheme: 'bearer', description }]
  })
  return {
    openapi: '3.1.0',
    info: {
      title: 'Network Access Administration',
      version: packageJson.version,
      description: introduction,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: '/', description: 'The deployment that serves this document.' }],
    security: [{ api_token: [] }],
    tags: [...usedTags].sort().map((name) => ({ name, 'x-displayName': titleOf(name), description: tagTexts[name] })),
    'x-tagGroups': tagGroups,
    paths,
    components: {
      securitySchemes: Object.fromEntries(schemes),
      schemas: { Problem: problem, ...sortEntries(parts.schemas.components) },
      parameters: requestHeaders,
      headers: responseHeaders,
      responses: sortEntries(parts.responses),
      examples: problemExamples(sources.map(({ operation }) => operation)),
    },
  }
}

const sortEntries = (entries: Record<string, Json>): Record<string, Json> =>
  Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)))
