import { expect, test } from 'vitest'
import { handler } from '#functions/api/clients/list-clients.ts'
import { newAccessWorld } from '#test/support/access.ts'

test('lists the clients in the order they registered, by name or installation (A23, A7.3)', async () => {
  const world = await newAccessWorld()
  const clients = []
  for (const svc_id of ['one', 'two', 'three']) clients.push((await world.startSession({ svc_id })).body.data.client)
  const list = async (query = {}) => (await world.account.call(handler, { query })).body
  const all = await list()
  expect(all.data).toMatchObject(clients.map(({ id }) => ({ id, online: true })))
  expect(Object.keys(all.data[0]).sort()).toEqual(Object.keys(clients[0]).sort())
  expect(await list({ svc_id: 'two' })).toMatchObject({ data: [{ id: clients[1].id }], metadata: { total: 1 } })
  expect((await list({ svc_id: 'two', name: clients[1].name })).data).toHaveLength(1)
  expect((await list({ name: '' })).data).toEqual([])
})
