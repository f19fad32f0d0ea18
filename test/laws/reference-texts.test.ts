import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openApiDocument } from '#infra/openapi/document.ts'
import { namedSchemas } from '#infra/openapi/schemas.ts'
import { loadEntries } from '#test/support/operations/operations.ts'

/** Laws of descriptions in the API reference: a description must say more than the name that it describes. */

// biome-ignore lint/suspicious/noExplicitAny: the document is looked into at every depth
const document = openApiDocument(await loadEntries(), await namedSchemas()) as any

type Described = { name: string; place: string; text: unknown }

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Yields every property below a node with its description. Skips examples, which have no descriptions. */
function* propertiesBelow(node: unknown, location: string): Generator<Described> {
  if (!isObject(node)) return
  if (isObject(node.properties) && isSchema(node)) {
    for (const [name, property] of Object.entries(node.properties)) {
      const { description } = isObject(property) ? property : {}
      yield { name, place: location, text: description }
    }
  }
  for (const [key, value] of Object.entries(node)) {
    if (key !== 'example' && key !== 'examples') yield* propertiesBelow(value, location)
  }
}

/** True for an object schema. An alternative that only narrows the enclosing schema has no type. */
const isSchema = (node: Record<string, unknown>): boolean => node.type === 'object'

function* operationsOf(): Generator<[string, Record<string, unknown>]> {
  for (const [path, methods] of Object.entries<Record<string, Record<string, unknown>>>(document.paths))
    for (const [method, operation] of Object.entries(methods)) yield [`${method.toUpperCase()} ${path}`, operation]
}

const properties: Described[] = [
  ...Object.entries(document.components.schemas).flatMap(([name, schema]) => [...propertiesBelow(schema, name)]),
  ...[...operationsOf()].flatMap(([name, operation]) => [...propertiesBelow(operation, name)]),
]
const parameters: Described[] = [...operationsOf()].flatMap(([place, operation]) =>
  [operation.parameters].flat().flatMap((parameter) => {
    if (!isObject(parameter) || typeof parameter.name !== 'string') return []
    return [{ name: parameter.name, place, text: parameter.description }]
  }),
)
const tags: Described[] = document.tags.map(({ name, description }: { name: string; description?: string }) => ({
  name,
  place: 'tags',
  text: description,
}))

/** Words that carry no information, including those in descriptions that were once generated. */
const fillers = new Set(
  'a an and are as at be by field for from has have id in is it its kind null object of on only or row that the this time to true utc uuid value when whether which with account microsecond'.split(
    ' ',
  ),
)
const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\d]+/gu) ?? []).map((word) => word.replace(/(?<=..)(ies|s|ed|d)$/, ''))

/** Returns the words of a description that are neither fillers nor part of the described name. */
function ownWords({ name, text }: Described): string[] {
  const known = new Set(wordsOf(name.replaceAll('_', ' ')))
  const words = wordsOf(String(text ?? ''))
  return [...new Set(words.filter((word) => !fillers.has(word) && !known.has(word)))]
}

const saysNothing = (described: Described): boolean => ownWords(described).length < 2

const describeProperty = ({ name, place, text }: Described): string => `${name} (${place}): ${String(text)}`

describe('the reference', () => {
  it('has properties, parameters and tags', () => {
    expect(properties.length).toBeGreaterThan(500)
    expect(parameters.length).toBeGreaterThan(100)
    expect(tags.length).toBeGreaterThan(30)
  })

  it.each([
    ['property', properties],
    ['parameter', parameters],
    ['tag', tags],
  ])('describes each %s with more than its name', (_kind, described) => {
    expect([...new Set(described.filter(saysNothing).map(describeProperty))]).toEqual([])
  })

  it.each([
    { name: 'decision', text: 'Decision.' },
    { name: 'client_id', text: 'Client id.' },
    { name: 'actor_id', text: 'Id of the actor.' },
    { name: 'expires_at', text: 'Time of expires, in UTC with microseconds.' },
    { name: 'jwks', text: 'The jwks of the account.' },
    { name: 'group_id', text: 'Only rows with this group id.' },
    { name: 'is_disabled', text: 'Whether it is disabled.' },
    { name: 'anything', text: '' },
    { name: 'anything', text: undefined },
  ])('detects that $text does not describe $name', ({ name, text }) => {
    expect(saysNothing({ name, place: '', text })).toBe(true)
  })

  it('has the version of the package, and an introduction to common behaviour', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(document.info.version).toBe(version)
    const headings = document.info.description.match(/^## .*$/gm)
    expect(headings).toEqual(
      ['Tokens', 'Requests and responses', 'Values', 'Errors', 'Lists', 'Safe retries', 'Rate limit'].map(
        (h) => `## ${h}`,
      ),
    )
  })

  it('has each tag in one group', () => {
    const grouped = document['x-tagGroups'].flatMap((group: { tags: string[] }) => group.tags)
    expect(grouped.toSorted()).toEqual(tags.map(({ name }) => name).toSorted())
  })
})
