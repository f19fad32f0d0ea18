import { beforeAll, describe, expect, it } from 'vitest'
import { openApiDocument } from '#infra/openapi/document.ts'
import { namedSchemas } from '#infra/openapi/schemas.ts'
import { loadEntries } from '#test/support/operations/operations.ts'
import { type Request, sampleRequests } from '#test/support/operations/sample-requests.ts'

/**
 * Laws of canonical values: the API reference documents the spelling in which a value is returned, and the API accepts that spelling in
 * requests.
 */

type Value = Record<string, unknown>
type Example = { field: string; sent: unknown; answered: unknown }

const entries = (await loadEntries()).filter(
  ({ operation: { path, method, body, credential = 'api' } }) =>
    body?.fields && credential === 'api' && !path.startsWith('/v0') && ['PATCH', 'POST'].includes(method),
)
// biome-ignore lint/suspicious/noExplicitAny: the document is looked into at every depth
const document = openApiDocument(await loadEntries(), await namedSchemas()) as any

/** Parses an example's value as JSON, or returns the string if it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Collects every example of the form `sent` → `answered` from the descriptions in a schema. */
function examplesBelow(given: unknown): Example[] {
  if (typeof given !== 'object' || given === null) return []
  const { $ref, ...rest } = given as Value
  if (typeof $ref === 'string') return examplesBelow(document.components.schemas[$ref.split('/').at(-1) ?? ''])
  const own = Object.entries((rest.properties ?? {}) as Record<string, Value>).flatMap(([field, { description }]) =>
    [...String(description ?? '').matchAll(/`([^`]+)`(?: answered)? → `([^`]+)`/g)].map(
      ([, sent = '', answered = '']) => {
        const isText = /^\d+(-\d+)?$/.test(sent) || !/^(null|\[)/.test(sent)
        return {
          field,
          sent: isText ? sent : parsed(sent),
          answered: /^(\d{5,}|\[)/.test(answered) ? parsed(answered) : answered,
        }
      },
    ),
  )
  return [...own, ...Object.values(rest).flatMap(examplesBelow)]
}

/** Fields to test on creation, because an update of the sample object cannot set them. */
const madeWith = new Set(['email'])

/** Builds the body for an example, with the other fields that the example requires. */
function bodyOf({ field, sent }: Example): Value {
  if (field === 'ports') return { filters: [{ protocol: 'tcp', ports: [sent] }] }
  if (field === 'address') return { type: String(sent).includes('/') ? 'cidr' : 'ip', ip_stack: null, address: sent }
  if (field === 'idp_domain') return { idp_domain: sent, client_secret: 'sample-secret' }
  if (field === 'email') return { type: 'account_user', email: sent }
  return { [field]: sent }
}

/**
 * Returns the value in a different spelling or order, or undefined if there is none. Excludes ids and times, whose spelling the
 * introduction of the reference covers.
 */
function variantOf(value: unknown, variant: string): unknown {
  if (typeof value === 'string' && variant === 'upper case') {
    const isCommon = /^[0-9a-f]{8}-/.test(value) || /^\d{4}-\d\d-\d\dT/.test(value)
    return isCommon || value === value.toUpperCase() ? undefined : value.toUpperCase()
  }
  if (!Array.isArray(value) || value.length === 0) return undefined
  return variant === 'twice' ? [...value, value[0]] : variant === 'backward' ? value.toReversed() : undefined
}

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const answeredIn = (data: Value, field: string): unknown =>
  field === 'ports' ? (data.filters as { ports: string[] }[])[0]?.ports[0] : data[field]

const cases = entries.flatMap((entry) => {
  const { method, path, body } = entry.operation
  const { requestBody } = document.paths[path][method.toLowerCase()]
  const examples = examplesBelow(requestBody.content['application/json'].schema)
  // Tests a field with an update if the object can be updated, and with a creation otherwise.
  const canChange = entries.some(
    ({ operation }) => operation.method === 'PATCH' && operation.path.startsWith(`${path}/`),
  )
  return [...new Map(examples.map((example) => [JSON.stringify(example), example])).values()]
    .filter(({ field }) => (method === 'POST' ? !canChange || madeWith.has(field) : !madeWith.has(field)))
    .map((example) => ({
      ...entry,
      example,
      envelope: body?.envelope ?? '',
      title: `${example.field} of ${entry.name}: ${JSON.stringify(example.sent)} → ${JSON.stringify(example.answered)}`,
    }))
})

const enveloped = entries.filter(({ operation }) => operation.body?.envelope)

describe('a value that is returned in another spelling', () => {
  let samples: Record<string, () => Promise<Request> | Request>
  let call: (name: string, request: Request) => Promise<{ status: number; text: string; body: { data: Value } }>
  beforeAll(async () => {
    const made = await sampleRequests()
    samples = made.samples as typeof samples
    call = made.send as unknown as typeof call
  })

  it('has examples of each kind', () => {
    const fields = new Set(cases.map(({ example }) => example.field))
    for (const field of ['ports', 'address', 'email', 'domain', 'idp_domain', 'scopes', 'expires_at', 'name'])
      expect(fields, field).toContain(field)
  })

  it.each(cases)('is $title, and is accepted without a change', async ({ name, operation, envelope, example }) => {
    const sample = (await samples[name]?.()) ?? {}
    const given = (sample.body as Record<string, Value>)[envelope]
    const extra = bodyOf(example)
    const fields = operation.method === 'POST' ? { ...given, ...extra } : extra
    const answer = await call(name, { ...sample, body: { [envelope]: fields } })
    expect([200, 201], answer.text).toContain(answer.status)
    expect(answeredIn(answer.body.data, example.field)).toEqual(example.answered)
    const change = name.replace('POST', 'PATCH') + (operation.method === 'POST' ? '/{id}' : '')
    if (!samples[change]) return
    const again = await call(change, {
      ...sample,
      params: { ...sample.params, id: String(answer.body.data.id) },
      body: { [envelope]: { ...extra, ...bodyOf({ ...example, sent: example.answered }) } },
    })
    expect(again.body.data).toEqual(answer.body.data)
  })

  it.each(enveloped)('is documented at each such value that $name returns', async ({ name, operation }) => {
    const envelope = operation.body?.envelope ?? ''
    const { requestBody } = document.paths[operation.path][operation.method.toLowerCase()]
    const documented = new Set(examplesBelow(requestBody.content['application/json'].schema).map(({ field }) => field))
    const given = ((await samples[name]?.())?.body as Record<string, Value> | undefined)?.[envelope] ?? {}
    const silent: string[] = []
    for (const field of Object.keys(given)) {
      for (const variant of ['upper case', 'twice', 'backward']) {
        const sample = (await samples[name]?.()) ?? {}
        const fields = (sample.body as Record<string, Value>)[envelope] ?? {}
        const sent = variantOf(fields[field], variant)
        if (sent === undefined) continue
        const { status, body } = await call(name, { ...sample, body: { [envelope]: { ...fields, [field]: sent } } })
        const isOther = status < 300 && field in body.data && !isEqual(body.data[field], sent)
        if (isOther && !documented.has(field)) silent.push(`${field}, sent in ${variant}`)
      }
    }
    expect(silent).toEqual([])
  })
})
