import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { openApiDocument } from '#infra/openapi/document.ts'
import { alternativesOf } from '#infra/openapi/examples.ts'
import { type Json, namedSchemas } from '#infra/openapi/schemas.ts'
import { isUuid } from '#shared/core/ids.ts'
import { toJson } from '#shared/core/json/json.ts'
import type { Operation } from '#shared/http/operation.ts'
import { type Answer, call } from '#test/support/accounts/account.ts'
import { arbitraryOf } from '#test/support/operations/arbitrary-of-schema.ts'
import { isBeyondSchema } from '#test/support/operations/beyond-schema.ts'
import { loadEntries } from '#test/support/operations/operations.ts'
import { type Request, sampleRequests } from '#test/support/operations/sample-requests.ts'
import { useCheapHashes } from '#test/support/sign-in/mails.ts'
import { newSource } from '#test/support/sign-in/sign-in.ts'

/** Laws of request schemas in the API reference: operations accept exactly the bodies that their schemas describe. */

const seed = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31))
const bodiesPerOperation = 10
process.stdout.write(`Bodies are made with FUZZ_SEED=${seed}\n`)

const entries = (await loadEntries()).filter(({ operation }) => operation.body)
// biome-ignore lint/suspicious/noExplicitAny: the document is looked into at every depth
const document = openApiDocument(await loadEntries(), await namedSchemas()) as any

function resolved(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(resolved)
  if (typeof node !== 'object' || node === null) return node
  const { $ref, ...rest } = node as Json
  if (typeof $ref === 'string')
    return resolved({ ...document.components.schemas[$ref.split('/').at(-1) ?? ''], ...rest })
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolved(value)]))
}

const operations = entries.map((entry) => {
  const { method, path, body } = entry.operation
  const { requestBody } = document.paths[path][method.toLowerCase()]
  return {
    ...entry,
    envelope: body?.envelope ?? null,
    schema: resolved(requestBody.content['application/json'].schema) as Json,
  }
})

type Value = Record<string, unknown>
type Path = string[]

const bodiesOf = (schema: Json, count: number, name: string): Value[] =>
  fc.sample(arbitraryOf(schema), { numRuns: count, seed: seed + name.length }) as Value[]

/** True for a string that identifies an existing object or a configured value, which no schema can describe. */
const meansSomething = (text: string, key: string, envelope: string | null): boolean =>
  isUuid(text) || (envelope === 'sign_in' && key === 'redirect_uri')

/** Returns the strings in the sample's body that identify objects, by key. Generated bodies use the same strings. */
function idsOf(node: unknown, envelope: string | null, key = '', found = new Map<string, string>()) {
  if (typeof node === 'string' && meansSomething(node, key, envelope)) found.set(key, node)
  else if (typeof node === 'object' && node !== null)
    for (const [name, value] of Object.entries(node)) idsOf(value, envelope, Array.isArray(node) ? key : name, found)
  return found
}

function withIds(node: unknown, ids: Map<string, string>, key = ''): unknown {
  if (typeof node === 'string') return ((isUuid(node) || key === 'redirect_uri') && ids.get(key)) || node
  if (Array.isArray(node)) return node.map((item) => withIds(item, ids, key))
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, withIds(value, ids, name)]))
}

/** Flattens error messages into a list of fields and messages. For records and providers, the messages are nested. */
function messagesOf(errors: unknown, path: Path = []): { field: string; message: string }[] {
  if (typeof errors === 'string') return [{ field: path.slice(0, -1).join('.'), message: errors }]
  if (typeof errors !== 'object' || errors === null) return []
  return Object.entries(errors).flatMap(([key, value]) => messagesOf(value, [...path, key]))
}

/** Required property without a default, and the schema narrowed to bodies that contain the property. */
type Requirement = { path: Path; schema: Json }

function requirementsOf(schema: Json): Requirement[] {
  const options = alternativesOf(schema)
  if (options.length > 0) return options.flatMap(requirementsOf)
  const properties = (schema.properties ?? {}) as Record<string, Json>
  const required = (schema.required ?? []) as string[]
  const own = required.filter((name) => properties[name]?.default === undefined)
  // Requires the properties with an enumeration, because a missing one can select an alternative that does not require the field.
  const enumerated = Object.keys(properties).filter((name) => properties[name]?.enum)
  const inner = Object.entries(properties).flatMap(([name, value]) =>
    requirementsOf(value).map(({ path, schema: narrowed }) => ({
      path: [name, ...path],
      schema: { ...schema, required: [...required, name], properties: { ...properties, [name]: narrowed } },
    })),
  )
  const items = schema.items ? requirementsOf(schema.items as Json) : []
  return [
    ...own.map((name) => ({
      path: [name],
      schema: { ...schema, required: [...new Set([...required, ...enumerated])] },
    })),
    ...inner,
    ...items.map(({ path, schema: narrowed }) => ({
      path: ['0', ...path],
      schema: { ...schema, type: 'array', minItems: 1, items: narrowed },
    })),
  ]
}

const at = (node: unknown, [key, ...rest]: Path): unknown =>
  key === undefined ? node : at((node as Value | undefined | null)?.[key], rest)

function without(node: unknown, [key = '', ...rest]: Path): unknown {
  if (Array.isArray(node)) return node.with(Number(key), without(node[Number(key)], rest))
  const { [key]: value, ...others } = node as Value
  return rest.length === 0 ? others : { ...others, [key]: without(value, rest) }
}

const show = (body: unknown, { status, text }: Answer) =>
  `${toJson(body).slice(0, 600)} → ${status} ${text.slice(0, 400)} (FUZZ_SEED=${seed})`

/**
 * Returns the expected statuses for a generated body that matches the schema. An unknown code or passcode results in 401, and an object
 * that already exists in 200.
 */
const rightAnswers = ({ status = 200, refusals = [] }: Operation): number[] => [
  200,
  status,
  ...(refusals.includes('unauthorized') ? [401] : []),
  404,
  409,
  422,
]

describe.each(operations)('$name', ({ name, operation, handler, envelope, schema }) => {
  let sample: Request
  let token: string
  let ids: Map<string, string>
  beforeAll(async () => {
    const { account, samples } = await sampleRequests()
    token = account.token
    sample = (await samples[name]?.()) ?? {}
    ids = idsOf(sample.body, envelope)
    useCheapHashes()
  })

  const send = (body: unknown) => {
    const { method, path, credential } = operation
    // Uses a new source address per request, because anonymous operations are rate-limited per address.
    const from = credential === 'none' ? { sourceIp: newSource() } : {}
    return call(handler, { token, method, path, ...sample, ...from, body: undefined, rawBody: toJson(body) })
  }

  it('accepts every body of its schema, except for rules that no schema can express', async () => {
    for (const made of bodiesOf(schema, bodiesPerOperation, name)) {
      const body = withIds(made, ids)
      const answer = await send(body)
      expect(rightAnswers(operation), show(body, answer)).toContain(answer.status)
      if (answer.status !== 422) continue
      for (const { field, message } of messagesOf(answer.body.errors)) {
        const value = at(body, [...(envelope === null ? [] : [envelope]), ...field.split('.')])
        const isExpected = isBeyondSchema({ field, message, value, method: operation.method })
        expect(isExpected, `${field}: ${message} in ${show(body, answer)}`).toBe(true)
      }
    }
  })

  const inEnvelope = ({ path }: Requirement) => envelope === null || path.length > 1
  const requirements = requirementsOf(schema).filter(inEnvelope)
  if (requirements.length > 0)
    it('reports each missing required field as blank', async () => {
      for (const { path, schema: narrowed } of requirements) {
        const field = path.slice(envelope === null ? 0 : 1).join('.')
        const [entry, key] = field.split('.')
        // Accepts either message. If the body is a set, the message names the element with the missing field (A15.4, A19.3).
        const blank = [`${field}: can't be blank`, `${envelope}: entry ${entry} is missing ${key}`]
        const answers: Answer[] = []
        for (const made of bodiesOf(narrowed, 5, field)) {
          const body = without(withIds(made, ids), path)
          const answer = await send(body)
          expect(answer.status, `${field} in ${show(body, answer)}`).toBe(422)
          answers.push(answer)
        }
        // Requires the message in only one of the responses, because a different invalid field can prevent checks that compare fields.
        const messages = answers.flatMap(({ body }) => messagesOf(body.errors))
        const texts = messages.map(({ field, message }) => `${field}: ${message}`)
        expect(
          texts.some((text) => blank.includes(text)),
          `${field}: ${texts}`,
        ).toBe(true)
      }
    })
})
