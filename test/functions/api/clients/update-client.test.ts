import { expect, test } from 'vitest'
import { handler } from '#functions/api/clients/update-client.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'

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

test('is logged with the fields of the API, without those of its presence item (L6.1)', async () => {
  const world = await newAccessWorld()
  const { client } = (await world.startSession({ hostname: 'h' })).body.data
  const shown = await world.account.call(handler, {
    method: 'PATCH',
    params: { id: client.id },
    body: { client: { name: 'Laptop' } },
  })
  const { changes } = (await readCommits(world.account.id)).at(-1) as { changes: { after: object }[] }
  const { after } = changes[0] as { after: Record<string, unknown> }
  expect(after).not.toHaveProperty('inserted_at')
  expect(after).toMatchObject({ id: client.id, name: 'Laptop', created_at: client.created_at, last_attested_at: null })
  for (const key of Object.keys(after)) expect(key).not.toMatch(/^(online|last_seen_)/)
  // Compares only the fields of the API, because the log entry also has internal fields.
  const both = Object.keys(after).filter((key) => key in shown.body.data)
  expect(both.length).toBeGreaterThan(15)
  for (const key of both) expect(shown.body.data[key]).toEqual(after[key])
})
