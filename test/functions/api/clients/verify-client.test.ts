import { expect, test } from 'vitest'
import { handler } from '#functions/api/clients/verify-client.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'

test('keeps the time of the first verification (A23.2)', async () => {
  const world = await newAccessWorld()
  const { client } = (await world.startSession()).body.data
  const verify = async () => (await world.account.call(handler, { method: 'PUT', params: { id: client.id } })).body.data
  const first = await verify()
  expect(first.verified_at).toEqual(expect.any(String))
  expect(await verify()).toEqual(first)
})

test('requires no body and ignores one (A23.2)', async () => {
  const world = await newAccessWorld()
  const { client } = (await world.startSession()).body.data
  const request = { method: 'PUT', params: { id: client.id } }
  const verified = await world.account.call(handler, { ...request, rawBody: '{"client":{"name":"other","verified_at"' })
  expect(verified.body.data).toMatchObject({ name: client.name, verified_at: expect.any(String) })
})

test('satisfies a condition for verified clients, and is logged (A17.3, A30)', async () => {
  const world = await newAccessWorld([{ property: 'client_verified', operator: 'is', values: ['true'] }])
  await world.addGateway()
  const { client } = (await world.startSession()).body.data
  expect((await world.ask({ resource_id: world.resource.id })).body.code).toBe('conditions_violated')
  await world.account.call(handler, { method: 'PUT', params: { id: client.id } })
  expect((await world.ask({ resource_id: world.resource.id })).status).toBe(201)
  const [change] = (await readCommits(world.account.id)).at(-1)?.changes ?? []
  expect(change).toMatchObject({ object: 'clients', operation: 'update', after: { verified_at: expect.any(String) } })
})
