import fc from 'fast-check'
import { alternativesOf } from '#infra/openapi/examples.ts'
import type { Json } from '#infra/openapi/schemas.ts'

type Bounds = { minLength?: number; maxLength?: number; minItems?: number; maxItems?: number; pattern?: string }

const formats: Record<string, () => fc.Arbitrary<string>> = {
  uuid: () => fc.uuid(),
  'date-time': () =>
    fc
      .date({ min: new Date('1971-01-01'), max: new Date('9990-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString()),
  email: () => fc.emailAddress(),
  uri: () => fc.webUrl({ validSchemes: ['https'] }),
  ipv4: () => fc.ipV4(),
  ipv6: () => fc.ipV6(),
}

/** Generates strings that match a pattern. For broad patterns (those with `[^`), filters arbitrary strings instead. */
function texts({ format, pattern, minLength = 0, maxLength = 100 }: Json & Bounds): fc.Arbitrary<string> {
  const form = pattern === undefined ? /^/ : new RegExp(pattern, 'u')
  const broad = pattern === undefined || pattern.includes('[^')
  const any = () => fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 30) })
  const candidates =
    formats[String(format)]?.() ?? (broad ? fc.oneof(any(), fc.emailAddress()) : fc.stringMatching(form))
  return candidates.filter((text) => form.test(text) && [...text].length >= minLength && [...text].length <= maxLength)
}

function ofType(type: unknown, schema: Json & Bounds): fc.Arbitrary<unknown> {
  const { minItems = 0, maxItems = 100 } = schema
  switch (type) {
    case 'string':
      return texts(schema)
    case 'integer':
      return fc
        .bigInt({ min: BigInt(String(schema.minimum ?? 0)), max: BigInt(String(schema.maximum ?? 1_000_000)) })
        .map((value) => (value <= Number.MAX_SAFE_INTEGER ? Number(value) : value))
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array': {
      const items = arbitraryOf((schema.items ?? {}) as Json)
      const bounds = { minLength: minItems, maxLength: Math.min(maxItems, minItems + 2) }
      return schema.uniqueItems ? fc.uniqueArray(items, bounds) : fc.array(items, bounds)
    }
    case 'object': {
      if (schema.maxProperties === 0) return fc.constant({})
      const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>)
      return fc.record(Object.fromEntries(properties.map(([name, value]) => [name, arbitraryOf(value)])), {
        requiredKeys: (schema.required ?? []) as string[],
      })
    }
    default:
      throw new Error(`Unsupported type of a schema: ${JSON.stringify(schema)}`)
  }
}

const typeOf = (value: unknown) => (value === null ? 'null' : typeof value)

/** Generates values that match a JSON Schema of the API reference. Schemas with `$ref` are not supported. */
export function arbitraryOf(schema: Json): fc.Arbitrary<unknown> {
  const options = alternativesOf(schema)
  if (options.length > 0) return fc.oneof(...options.map(arbitraryOf))
  if (schema.const !== undefined) return fc.constant(schema.const)
  const types = [schema.type].flat()
  if (Array.isArray(schema.enum)) {
    return fc.constantFrom(...schema.enum.filter((value) => schema.type === undefined || types.includes(typeOf(value))))
  }
  return fc.oneof(...types.map((type) => ofType(type, schema)))
}
