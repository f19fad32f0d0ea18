import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { openApiDocument } from '#infra/openapi/document.ts'
import { namedSchemas } from '#infra/openapi/schemas.ts'
import { isV0 } from '#shared/http/v0-headers.ts'
import { arbitraryOf } from '#test/support/operations/arbitrary-of-schema.ts'
import { loadEntries } from '#test/support/operations/operations.ts'
import { type Request, sampleRequests } from '#test/support/operations/sample-requests.ts'

const entries = await loadEntries()
// biome-ignore lint/suspicious/noExplicitAny: the document is looked into at every depth
const document = openApiDocument(entries, await namedSchemas()) as any

let world: Awaited<ReturnType<typeof sampleRequests>>
beforeAll(async () => {
  world = await sampleRequests()
})

const withId = ({ operation: { path } }: (typeof entries)[number]) => path.includes('{')

/** Returns invalid ids derived from a valid one. If they are used as slugs, they match no account. */
const ofNoForm = (id: string): string[] => [`${id}0`, 'nonsense', '0'.repeat(23), 'g'.repeat(24)]

describe.each(entries.filter(withId))('$name', ({ name, operation: { method, path, status: success } }) => {
  const parameters: { name: string; in: string; schema: Record<string, unknown> }[] =
    document.paths[path][method.toLowerCase()].parameters
  const ids = parameters.filter(({ in: place }) => place === 'path')
  const enumIds = ids.filter(({ schema }) => Array.isArray(schema.enum))
  const statusOf = async (sample: Request, id: string, value: string) =>
    (await world.send(name, { ...sample, params: { ...sample.params, [id]: value } })).status

  it('returns 404 for another identifier of a documented form, and refuses other forms', async () => {
    const sample = (await world.samples[name]?.()) ?? {}
    for (const { name: id, schema } of ids) {
      const isName = enumIds.some((one) => one.name === id) || id === 'slug'
      // Skips callbacks, because each of their ids works only once. complete-sign-in-of-provider.test.ts covers other ids.
      const isOnce = success === 303
      const others = isOnce || (isName && id !== 'slug') ? [] : (fc.sample(arbitraryOf(schema), 5) as string[])
      for (const value of others)
        expect(await statusOf(sample, id, encodeURIComponent(value)), `${id} = ${value}`).toBe(404)
      for (const value of ofNoForm(sample.params?.[id] ?? ''))
        expect(await statusOf(sample, id, value), `${id} = ${value}`).toBe(isName || isV0(path) ? 404 : 400)
    }
  })

  if (enumIds.length > 0)
    it('accepts each documented name as it is written', async () => {
      const sample = (await world.samples[name]?.()) ?? {}
      for (const { name: id, schema } of enumIds)
        for (const value of schema.enum as string[]) {
          expect(await statusOf(sample, id, value), `${id} = ${value}`).not.toBe(404)
          for (const other of [value.toUpperCase(), ` ${value}`, `${value}/`])
            expect(await statusOf(sample, id, other), `${id} = ${other}`).toBe(404)
        }
    })
})
