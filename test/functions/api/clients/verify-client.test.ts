import { expect, test } from 'vitest'
import { handler } from '#functions/api/clients/verify-client.ts'
import { newAccessWorld } from '#test/support/access.ts'

test('keeps the time of the first verification (A23.2)', async () => {
  const world = await newAccessWorld()
  const { client } = (await world.startSession()).body.data
  const verify = async () => (await world.account.call(handler, { method: 'PUT', params: { id: client.id } })).body.data
  const first = await verify()
  expect(first.verified_at).toEqual(expect.any(String))
  expect(await verify()).toEqual(first)
})
