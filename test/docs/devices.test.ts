import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

// biome-ignore lint/suspicious/noExplicitAny: schemas of every shape
type Schema = any

const documented = ['docs/devices.md', 'docs/sign-in.md']
  .flatMap((file) => readFileSync(file, 'utf8').match(/^```.*?^```|`[^`\n]+`/gms) ?? [])
  .join('\n')

const missing = (names: Iterable<string>): string[] =>
  [...new Set(names)].filter((name) => !new RegExp(`(?<!\\w)${name}(?!\\w)`).test(documented)).sort()

const openapi: Schema = JSON.parse(readFileSync('docs/openapi.json', 'utf8'))

/** Account API schemas that are not checked, because a device needs only a few of their fields. */
const elsewhere = ['#/components/schemas/Client', '#/components/schemas/Gateway']

function fieldsOf(schema: Schema): string[] {
  if (schema.$ref) {
    if (elsewhere.includes(schema.$ref)) return []
    return fieldsOf(openapi.components.schemas[schema.$ref.split('/').at(-1)])
  }
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, value]) => [name, ...fieldsOf(value)])
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.items ? [schema.items] : [])]
  return [...own, ...parts.flatMap(fieldsOf)]
}

type Operation = { requestBody?: Schema; responses: Record<string, Schema> }

/** Matches the paths that a device calls. The sign-in page performs the remaining steps of a sign-in. */
const ofDevices = /^\/(client|gateway|ingestion)\/|^\/sign_in\/token$/

const operations = Object.entries(openapi.paths as Record<string, Record<string, Operation>>)
  .filter(([path]) => ofDevices.test(path))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  )

it('finds operations of devices', () => expect(operations.length).toBeGreaterThan(8))

describe('the documents for authors of clients and gateways', () => {
  it.each(operations)('name every field of %s', (_route, { requestBody, responses }) => {
    const bodies = [requestBody, ...Object.entries(responses).flatMap(([status, body]) => (status < '3' ? [body] : []))]
    const schemas = bodies.flatMap((body) => body?.content?.['application/json']?.schema ?? [])
    expect(missing(schemas.flatMap(fieldsOf))).toEqual([])
  })

  it('name every field and route that the Python client uses', () => {
    const script = ['device.py', 'live_channel.py']
      .map((file) => readFileSync(join(import.meta.dirname, 'python', file), 'utf8'))
      .join('\n')
    // Matches JSON members by their quotes. Python module names have no quotes, and header names contain a hyphen.
    const members = [...script.matchAll(/["']([a-z][a-z0-9_]*)["'](?=:|\])/g)].map(([, name = '']) => name)
    const routes = [...script.matchAll(/"[A-Z]+", f?"(\/[a-z_/]+)/g)].map(([, route = '']) => route.replace(/\/$/, ''))
    expect([members.length, routes.length].map((count) => count > 10)).toEqual([true, true])
    expect(missing([...members, ...routes])).toEqual([])
  })
})
