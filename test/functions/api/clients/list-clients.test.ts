import { expect, test } from 'vitest'
import { handler as endClientSession } from '#functions/api/client-sessions/end-client-session.ts'
import { handler } from '#functions/api/clients/list-clients.ts'
import { newAccessWorld } from '#test/support/access.ts'
import { call, newAccount } from '#test/support/account.ts'
import { insertActor } from '#test/support/rows.ts'

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

test('shows who has ended its session, and finds one installation with several actors (A23.1)', async () => {
  const world = await newAccessWorld()
  const other = await insertActor(world.account.id)
  const first = (await world.startSession({ svc_id: 'shared' })).body.data
  const { token } = await world.addToken(other)
  await world.startSession({ svc_id: 'shared' }, { token })
  await call(endClientSession, { method: 'DELETE', token: world.token.token, params: { id: first.id } })
  const { data, metadata } = (await world.account.call(handler, { query: { svc_id: 'shared' } })).body
  const shown = data.map(({ actor_id, online }: { actor_id: string; online: boolean }) => [actor_id, online])
  expect([shown, metadata.total]).toEqual([
    [
      [world.actor.id, false],
      [other.id, true],
    ],
    2,
  ])
})

test('pages through the clients, whoever they belong to', async () => {
  const world = await newAccessWorld()
  const ids = []
  for (const svc_id of ['one', 'two', 'three']) ids.push((await world.startSession({ svc_id })).body.data.client.id)
  const page = async (page_cursor?: string) =>
    (await world.account.call(handler, { query: { limit: '2', ...(page_cursor && { page_cursor }) } })).body
  const first = await page()
  const second = await page(first.metadata.next_page)
  const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)
  expect([idsOf(first), idsOf(second), second.metadata.next_page]).toEqual([ids.slice(0, 2), ids.slice(2), null])
  expect(idsOf(await page(second.metadata.prev_page))).toEqual(ids.slice(0, 2))
})

test.each(['name=a&name=b', 'svc_id[]=a'])('refuses ?%s', async (query) => {
  const { status, body } = await (await newAccount()).call(handler, { query })
  const detail = `Invalid value for filter ${/^[a-z_]+/.exec(query)?.[0]}.`
  expect([status, body.code, body.detail]).toEqual([400, 'invalid_filter', detail])
})
