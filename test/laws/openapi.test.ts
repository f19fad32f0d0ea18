import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { openApiDocument } from '#infra/openapi/document.ts'
import { namedSchemas } from '#infra/openapi/schemas.ts'
import { errorCodes } from '#shared/core/errors.ts'
import { isV0 } from '#shared/http/v0-headers.ts'
import { loadEntries } from '#test/support/operations/operations.ts'

const entries = await loadEntries()
// biome-ignore lint/suspicious/noExplicitAny: the document is looked into at every depth
const document = openApiDocument(entries, await namedSchemas()) as any

const operations = entries.flatMap(({ operation }) =>
  [operation.method, ...(operation.alias ? [operation.alias] : [])].map((method) => ({
    name: `${method} ${operation.path}`,
    operation,
    described: document.paths[operation.path][method.toLowerCase()],
  })),
)

// biome-ignore lint/suspicious/noExplicitAny: any node of the document
function resolve(node: any): any {
  if (!node?.$ref) return node
  const found = node.$ref
    .slice(2)
    .split('/')
    .reduce((at: Record<string, unknown>, key: string) => at[key], document)
  expect(found, node.$ref).toBeDefined()
  return found
}

// biome-ignore lint/suspicious/noExplicitAny: any node of the document
function* nodes(node: any): Generator<any> {
  if (typeof node !== 'object' || node === null) return
  yield node
  for (const value of Object.values(node)) yield* nodes(value)
}

// biome-ignore lint/suspicious/noExplicitAny: any node of the document
function fits(value: any, given: any): boolean {
  const schema = resolve(given)
  const options = schema.oneOf ?? schema.anyOf
  // biome-ignore lint/suspicious/noExplicitAny: any node of the document
  if (options) return options.some((option: any) => fits(value, option))
  if (schema.enum && !schema.enum.includes(value)) return false
  if (schema.const !== undefined && schema.const !== value) return false
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  const types = [schema.type ?? type].flat()
  if (!types.includes(type) && !(types.includes('integer') && Number.isInteger(value))) return false
  // biome-ignore lint/suspicious/noExplicitAny: any node of the document
  if (type === 'array') return value.every((item: any) => fits(item, schema.items ?? {}))
  if (type !== 'object') return true
  const known = schema.properties ?? {}
  return (
    (schema.required ?? []).every((name: string) => name in value) &&
    Object.entries(value).every(([name, item]) => !known[name] || fits(item, known[name]))
  )
}

it('passes the strict linter', async () => {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const options = ['--format=stylish', '--config', 'infra/openapi/redocly.yaml']
  const arguments_ = ['node_modules/@redocly/cli/bin/cli.js', 'lint', ...options, 'docs/openapi.json']
  const { stdout, stderr } = await promisify(execFile)(process.execPath, arguments_, { cwd: root }).catch(
    (error) => error,
  )
  expect(stdout + stderr).toContain('is valid')
})

it('has every operation once, with a unique id', () => {
  const ids = operations.map(({ described }) => described.operationId)
  expect(new Set(ids).size).toBe(operations.length)
})

it('names operations after their files, for generated clients', () => {
  const idOf = (path: string, method: string) => document.paths[path][method].operationId
  expect(idOf('/groups', 'post')).toBe('createGroup')
  expect([idOf('/groups/{id}', 'patch'), idOf('/groups/{id}', 'put')].sort()).toEqual([
    'updateGroup',
    'updateGroupWithPut',
  ])
  expect(idOf('/v0/users', 'get')).toBe('listV0Users')
})

it('resolves every reference, and has no unused component', () => {
  const used = new Set([...nodes(document)].map(({ $ref }) => $ref).filter((ref) => typeof ref === 'string'))
  for (const ref of used) resolve({ $ref: ref })
  for (const kind of ['schemas', 'parameters', 'headers', 'responses', 'examples']) {
    for (const name of Object.keys(document.components[kind])) expect(used).toContain(`#/components/${kind}/${name}`)
  }
})

it('describes flow ingest: its records, their packing, and the errors of invalid ones', () => {
  const { parameters, requestBody, responses } = document.paths['/ingestion/flow_logs'].post
  const { properties, required } = requestBody.content['application/json'].schema
  expect([requestBody.required, required, properties.flow_logs.maxItems]).toEqual([true, ['flow_logs'], 10_000])
  const [open, close] = properties.flow_logs.items.anyOf
  expect(close.required).toEqual([...open.required, 'outers', ...Object.keys(close.properties).slice(-6)])
  expect([open, close].map((record) => record.additionalProperties)).toEqual([false, false])
  expect(close.properties.rx_bytes.maximum).toBe(2n ** 63n - 1n)
  expect(parameters.map(resolve).map(({ name }: { name: string }) => name)).toContain('Content-Encoding')
  expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '400', '401', '413', '422', '429', '503']))
  const refused = resolve(responses[422]).content['application/problem+json'].schema.allOf.map(resolve)
  expect(refused.at(-1).required).toEqual(['accepted', 'rejected', 'errors', 'errors_truncated'])
})

it('uses the right article before a noun', () => {
  for (const { described } of operations) {
    expect(described.summary).not.toMatch(/\ban (?![aeiou])|\ba (?=[aeio])/i)
  }
})

it('describes fields of the legacy API with their legacy meaning', () => {
  const textOf = (name: string, field: string) => document.components.schemas[name].properties[field].description
  for (const name of ['V0User', 'V0UserFields']) {
    expect(textOf(name, 'role')).toMatch(/of the user/)
    expect(textOf(name, 'role')).not.toBe(textOf('FlowEntry', 'role'))
  }
  for (const key of ['url', 'data', 'type']) expect(textOf('V0Logo', key)).toMatch(/logo/)
})

describe.each(operations)('$name', ({ operation, described }) => {
  it('has a summary, a description, a tag and its kind of credential', () => {
    expect(described.summary).toBe(operation.summary)
    expect(described.description).toContain(operation.permission ?? operation.summary)
    expect(document.tags.map(({ name }: { name: string }) => name)).toContain(described.tags[0])
    expect(described.responses).toHaveProperty(String(operation.status))
    const [scheme] = described.security.flatMap(Object.keys)
    if (operation.credential === 'none') return expect(scheme).toBeUndefined()
    expect(document.components.securitySchemes[scheme].type).toBe('http')
    const { credential = 'api' } = operation
    expect(scheme).toBe(credential === 'session' ? 'api_token' : `${credential}_token`)
  })

  it('describes every parameter of its path and query', () => {
    const parameters = described.parameters.map(resolve)
    for (const { name, schema } of parameters) expect(schema, name).toBeDefined()
    const names = (location: string) =>
      parameters.filter((p: { in: string }) => p.in === location).map((p: { name: string }) => p.name)
    expect(names('path')).toEqual([...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
    const expected = [
      ...Object.keys(operation.parameters ?? {}),
      ...(operation.filters ? ['limit', 'page_cursor', ...Object.keys(operation.filters)] : []),
    ]
    expect(names('query')).toEqual(expected)
  })

  it('has an example of every body, which matches its schema', () => {
    const contents = [described.requestBody, ...Object.values(described.responses).map(resolve)].flatMap((part) =>
      Object.values(part?.content ?? {}),
    ) as { schema: unknown; example?: unknown; examples?: Record<string, unknown> }[]
    expect(contents.length).toBeGreaterThan(0)
    for (const { schema, example, examples } of contents) {
      const values = examples ? Object.values(examples).map((one) => resolve(one).value) : [example]
      for (const value of values) expect(fits(value, schema), JSON.stringify(value)).toBe(true)
    }
  })

  it('lists every refusal with its status', () => {
    if (isV0(operation.path)) {
      expect(Object.keys(described.responses)).toEqual(expect.arrayContaining(['401', '403', '429', '500', '503']))
      return
    }
    const codes = Object.entries(described.responses).flatMap(([status, response]) =>
      Object.keys(resolve(response).content?.['application/problem+json']?.examples ?? {}).map((code) => [
        code,
        Number(status),
      ]),
    )
    for (const [code, status] of codes)
      expect(errorCodes[code as keyof typeof errorCodes].status, String(code)).toBe(status)
    expect(codes.map(([code]) => code)).toEqual(
      expect.arrayContaining([
        ...(operation.credential === 'none' ? [] : ['unauthorized']),
        'rate_limited',
        'internal_error',
        'unavailable',
        ...(operation.refusals ?? []),
      ]),
    )
  })
})
