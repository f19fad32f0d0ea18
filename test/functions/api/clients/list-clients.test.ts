import { setTimeout as sleep } from 'node:timers/promises'
import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { expect, test, vi } from 'vitest'
import { handler as endClientSession } from '#functions/api/client-sessions/end-client-session.ts'
import { handler as deleteToken } from '#functions/api/client-tokens/delete-client-token.ts'
import { handler as deleteClient } from '#functions/api/clients/delete-client.ts'
import { handler } from '#functions/api/clients/list-clients.ts'
import { handler as listGroups } from '#functions/api/groups/list-groups.ts'
import { clientTokens } from '#shared/domain/client-tokens/client-token.ts'
import { groups } from '#shared/domain/groups/group.ts'
import type { Handler } from '#shared/http/lambda.ts'
import { entityKey, type Key, presenceItemKey } from '#shared/table/keys.ts'
import { getItems, getRow } from '#shared/table/read.ts'
import { type AccessWorld, newAccessWorld } from '#test/support/access/access.ts'
import { call, newAccount } from '#test/support/accounts/account.ts'
import { insertActor, insertRow } from '#test/support/accounts/rows.ts'
import { followUpAll } from '#test/support/logs/commit-stream.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'
import { plantGroups, plantOnlineClients } from '#test/support/table/plant-listed.ts'
import { crashAfter } from '#test/support/table/table-faults.ts'

test('lists the clients in order of registration, filtered by name or installation (A23, A7.3)', async () => {
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

test('shows the end of a session, and finds one installation with several actors (A23.1)', async () => {
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

test('lists the clients of an actor with an exact total (K11.G4)', async () => {
  const world = await newAccessWorld()
  const other = await insertActor(world.account.id)
  await world.startSession({ svc_id: 'one' })
  const { token } = await world.addToken(other)
  const { id } = (await world.startSession({ svc_id: 'two' }, { token })).body.data.client
  const of = async (actor_id: string, query = {}) =>
    (await world.account.call(handler, { query: { actor_id, ...query } })).body
  expect(await of(other.id.toUpperCase())).toMatchObject({ data: [{ id }], metadata: { total: 1, count: 1 } })
  expect((await of(other.id, { online: 'true' })).metadata.total).toBeNull()
  expect((await of(other.id, { online: 'false' })).data).toEqual([])
  expect((await of(world.account.admin.id)).data).toEqual([])
  expect((await of('')).code).toBe('invalid_filter')
  const { reads } = await measure(() => of(other.id))
  expect(reads).toBeLessThanOrEqual(10 + 3)
})

test('pages through the clients of all actors', async () => {
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

const deleteTokenOf = (world: AccessWorld, id: string) =>
  world.account.call(deleteToken, { method: 'DELETE', params: { actor_id: world.actor.id, id } })

test('shows no client online after its token was deleted, even after a crash (P1.7)', async () => {
  const world = await newAccessWorld()
  const others = [await world.addToken(), await world.addToken()] as const
  await world.startSession({ svc_id: 'one' })
  for (const [i, { token }] of others.entries()) await world.startSession({ svc_id: `other ${i}` }, { token })
  const online = async (query = {}) => {
    const { data } = (await world.account.call(handler, { query })).body
    return data.map((client: { online: boolean }) => client.online)
  }
  expect(await online()).toEqual([true, true, true])
  expect((await deleteTokenOf(world, others[0].id)).status).toBe(200)
  expect([await online(), await online({ svc_id: 'other 0' })]).toEqual([[true, false, true], [false]])

  // Allows one more write each time, until the commit is the last write that succeeds.
  for (let writes = 1; await getRow(clientTokens, world.account.id, others[1].id); writes++) {
    crashAfter(writes)
    await deleteTokenOf(world, others[1].id)
    vi.restoreAllMocks()
  }
  expect(await online()).toEqual([true, false, true])
  await followUpAll(world.account.id)
  expect(await online()).toEqual([true, false, false])
  // Expects that a device which returns with another token stays online, even if the deletion is processed again.
  await world.startSession({ svc_id: 'other 0' })
  await followUpAll(world.account.id)
  expect(await online()).toEqual([true, true, false])
})

test('shows online clients correctly if others are deleted between two reads', async () => {
  const world = await newAccessWorld()
  const ids: string[] = []
  for (let i = 0; i < 5; i++) ids.push((await world.startSession({ svc_id: `laptop ${i}` })).body.data.client.id)
  let deletion: Promise<unknown> | undefined
  interceptTable(async (command, send) => {
    const isList = JSON.stringify(command).includes(`${world.account.id}#clients"`)
    if (command instanceof QueryCommand && isList) {
      // Waits until the presence items of the first three clients are read.
      await sleep(50)
      vi.restoreAllMocks()
      deletion = Promise.all(
        ids.slice(0, 2).map((id) => world.account.call(deleteClient, { method: 'DELETE', params: { id } })),
      )
      await deletion
    }
    return send(command)
  })
  const { data } = (await world.account.call(handler, { query: { limit: '2' } })).body
  expect(deletion).toBeDefined()
  expect(data.map(({ id, online }: { id: string; online: boolean }) => [id, online])).toEqual([
    [ids[2], true],
    [ids[3], true],
  ])
})

test('sends one request more for a page of clients with tokens than for a page of groups', async () => {
  const world = await newAccessWorld()
  for (let i = 0; i < 6; i++) {
    await world.startSession({ svc_id: `laptop ${i}` }, { token: (await world.addToken()).token })
    const { id: _, inserted_at: _at, updated_at: _later, ...fields } = world.group
    await insertRow(world.account.id, groups, { ...fields, name: `Group ${i}` })
  }
  const costOf = async (list: Handler) => {
    await world.account.call(list)
    return measure(() => world.account.call(list))
  }
  const [clients, ofGroups] = [await costOf(handler), await costOf(listGroups)]
  expect(clients.requests).toBe(ofGroups.requests + 1)
  expect(clients.reads).toBeLessThanOrEqual(1.3 * ofGroups.reads)
})

test('reads exactly the rows and presence items of a full page', async () => {
  const account = await newAccount()
  const [plantedGroups, planted] = [await plantGroups(account, 100), await plantOnlineClients(account, 100)]
  const readsOf = async (list: Handler) => {
    const ask = () => account.call(list, { query: { limit: '100' } })
    await ask()
    return (await measure(ask)).reads
  }
  const [ofClients, ofGroups] = [await readsOf(handler), await readsOf(listGroups)]
  const rows = await unitsOf(planted.map(({ id }) => entityKey(account.id, 'clients', id)))
  const presenceUnits = await unitsOf(planted.map(({ id }) => presenceItemKey(account.id, 'clients', id)))
  const groupRows = await unitsOf(plantedGroups.map(({ id }) => entityKey(account.id, 'groups', id)))
  expect([rows, presenceUnits]).toEqual([11, 10])
  // Allows for a read of the managed group Everyone, in addition to the page.
  expect(ofGroups - groupRows).toBeLessThanOrEqual(7)
  expect(ofClients).toBeLessThanOrEqual(6 + rows + presenceUnits)
})

async function unitsOf(keys: Key[]): Promise<number> {
  const items = await getItems(keys)
  const bytes = items.map((item) => Object.entries(item ?? {}).map(([name, value]) => name.length + sizeOf(value)))
  return Math.ceil(bytes.flat().reduce((sum, each) => sum + each, 0) / 4_096)
}

/** Returns the stored size of a value in bytes. A number takes one byte per two digits plus one, and a boolean takes one byte. */
const sizeOf = (value: unknown): number =>
  typeof value === 'number'
    ? Math.ceil(String(value).length / 2) + 1
    : typeof value === 'boolean'
      ? 1
      : String(value).length

test.each(['name=a&name=b', 'svc_id[]=a'])('refuses ?%s', async (query) => {
  const { status, body } = await (await newAccount()).call(handler, { query })
  const detail = `Invalid value for filter ${/^[a-z_]+/.exec(query)?.[0]}.`
  expect([status, body.code, body.detail]).toEqual([400, 'invalid_filter', detail])
})
