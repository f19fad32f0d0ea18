import { toJsonSchema } from '@valibot/to-json-schema'
import type * as v from 'valibot'
import type { OperationSource } from '#functions/operations.ts'
import { errorCodes } from '#shared/errors.ts'
import type { Operation } from '#shared/operation.ts'

type Json = Record<string, unknown>

/** Fields with a rule of their own document themselves; 64-bit counters are integers on the wire. */
const schemaOf = (schema: v.GenericSchema): Json => {
  const { $schema: _dialect, ...json } = toJsonSchema(schema, {
    errorMode: 'ignore',
    overrideSchema: ({ valibotSchema, jsonSchema }) => {
      const own = documented(valibotSchema)
      if (own) return own
      return (valibotSchema as { type?: string }).type === 'bigint' ? { type: 'integer', format: 'int64' } : jsonSchema
    },
  }) as Json
  return json
}

function documented(schema: unknown): Json | undefined {
  const { pipe } = schema as { pipe?: { type?: string; metadata?: { jsonSchema?: Json } }[] }
  return pipe?.find((item) => item.type === 'metadata')?.metadata?.jsonSchema
}

const pathParameters = (path: string): Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    description: 'A UUID, or 24 hexadecimal characters.',
  }))

const queryParameters = ({ filters, parameters = {} }: Operation): Json[] => [
  ...Object.entries(parameters).map(([name, schema]) => ({ name, in: 'query', schema })),
  ...(filters
    ? [
        { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 } },
        { name: 'page_cursor', in: 'query', schema: { type: 'string' } },
        ...Object.entries(filters).map(([name, filter]) => ({ name, in: 'query', schema: filter.schema })),
      ]
    : []),
]

function requestBody({ body }: Operation): Json | undefined {
  if (!body) return undefined
  const { envelope, shape = 'object', optional = false, fields } = body
  const value = fields ? schemaOf(fields) : { type: shape === 'list' ? 'array' : 'object' }
  const schema = { type: 'object', properties: { [envelope]: value }, ...(optional ? {} : { required: [envelope] }) }
  return { required: !optional, content: { 'application/json': { schema } } }
}

const problemSchema: Json = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', enum: Object.keys(errorCodes) },
    request_id: { type: 'string' },
    errors: { type: 'object' },
  },
}

function operationObject(operation: Operation, method: string): Json {
  const { credential = 'api', permission, status = 200, repeatable } = operation
  const success = { description: 'Success', content: { 'application/json': { schema: schemaOf(operation.response) } } }
  return {
    operationId: operationId(operation, method),
    summary: operation.summary,
    ...(permission && { description: `Scope \`${permission}\`.` }),
    tags: [operation.path.split('/')[1]],
    security: [{ [`${credential}_token`]: [] }],
    parameters: [...pathParameters(operation.path), ...queryParameters(operation)],
    requestBody: requestBody(operation),
    responses: {
      ...(repeatable && { 200: success }),
      [status]: success,
      '4XX': { $ref: '#/components/responses/Problem' },
      '5XX': { $ref: '#/components/responses/Problem' },
    },
  }
}

/** `patch_groups_id`: unique, and stable as long as method and path are. */
const operationId = ({ path }: Operation, method: string): string =>
  `${method.toLowerCase()}${path.replace(/[^a-z0-9]+/gi, '_').replace(/_$/, '')}`

const tokens = { api: 'An API token', client: 'A client token', gateway: 'A gateway token', ingest: 'An ingest token' }

/** The OpenAPI 3.1 document of the operations: nothing in it is written by hand. */
export function openApiDocument(sources: OperationSource[]): Json {
  const paths: Record<string, Json> = {}
  for (const { operation } of sources) {
    for (const method of [operation.method, ...(operation.alias ? [operation.alias] : [])]) {
      paths[operation.path] = { ...paths[operation.path], [method.toLowerCase()]: operationObject(operation, method) }
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Network Access Administration',
      version: '1.0.0',
      description: 'Who may reach what, who changed it, and what really flowed.',
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: Object.fromEntries(
        Object.entries(tokens).map(([kind, description]) => [
          `${kind}_token`,
          { type: 'http', scheme: 'bearer', description },
        ]),
      ),
      responses: {
        Problem: {
          description: 'An RFC 9457 problem',
          content: { 'application/problem+json': { schema: problemSchema } },
        },
      },
    },
  }
}
