import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { namedSchemas } from '#infra/openapi/components.ts'
import { openApiDocument } from '#infra/openapi/document.ts'
import { isV0 } from '#shared/http/v0-headers.ts'
import { arbitraryOf } from '#test/support/arbitrary-of-schema.ts'
import { loadEntries } from '#test/support/operations.ts'
import { type Request, sampleRequests } from '#test/support/sample-requests.ts'

const entries = await loadEntries()
// biome-ignore lint/suspicious/noExplicitAny: the document is looked into at every depth
const document = openApiDocument(entries, await namedSchemas()) as any

let world: Awaited<ReturnType<typeof sampleRequests>>
beforeAll(async () => {
  world = await sampleRequests()
})

/** A slug is a name that anybody may try, and so is a log of the account; what is public has an answer for any form. */
const names = ['{slug}', '{log}']
const withId = ({ operation: { path, credential } }: (typeof entries)[number]) =>
  credential !== 'none' && path.includes('{') && !names.some((name) => path.includes(name))

describe.each(entries.filter(withId))('$name', ({ name, operation: { method, path } }) => {
  const parameters: { name: string; in: string; schema: Record<string, unknown> }[] =
    document.paths[path][method.toLowerCase()].parameters
  const ids = parameters.filter(({ in: place }) => place === 'path')
  const statusOf = async (own: Request, id: string, value: string) =>
    (await world.send(name, { ...own, params: { ...own.params, [id]: value } })).status

  it('knows nothing by another identifier of the described form, and takes none of another form', async () => {
    const own = (await world.samples[name]?.()) ?? {}
    for (const { name: id, schema } of ids) {
      for (const value of fc.sample(arbitraryOf(schema), 5) as string[])
        expect(await statusOf(own, id, encodeURIComponent(value)), `${id} = ${value}`).toBe(404)
      for (const value of [`${own.params?.[id]}0`, 'nonsense', '0'.repeat(23), 'g'.repeat(24)])
        expect(await statusOf(own, id, value), `${id} = ${value}`).toBe(isV0(path) ? 404 : 400)
    }
  })
})
