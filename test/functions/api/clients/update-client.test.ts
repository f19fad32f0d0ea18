import { expect, test } from 'vitest'
import { handler } from '#functions/api/clients/update-client.ts'
import { newAccessWorld } from '#test/support/access.ts'

test('renames a client and nothing else (A23.2)', async () => {
  const world = await newAccessWorld()
  const { client } = (await world.startSession({ hostname: 'h' })).body.data
  const update = (fields: object) =>
    world.account.call(handler, { method: 'PATCH', params: { id: client.id }, body: { client: fields } })
  expect((await update({})).body.errors).toEqual({ name: ["can't be blank"] })
  const renamed = await update({ name: ' Laptop ', hostname: 'other' })
  expect(renamed).toMatchObject({ status: 200, body: { data: { name: 'Laptop', hostname: 'h', online: true } } })
  const again = await world.startSession()
  expect(again.body.data.client).toMatchObject({
    id: client.id,
    name: 'Laptop',
    updated_at: renamed.body.data.updated_at,
  })
  for (const [name, message] of [
    [null, "can't be blank"],
    [' ', "can't be blank"],
    [7, 'is invalid'],
    ['x'.repeat(256), 'should be at most 255 character(s)'],
  ]) {
    expect((await update({ name })).body.errors).toEqual({ name: [message] })
  }
})
