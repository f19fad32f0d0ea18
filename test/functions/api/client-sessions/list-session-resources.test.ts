import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { handler as end } from '#functions/api/client-sessions/end-client-session.ts'
import { handler } from '#functions/api/client-sessions/list-session-resources.ts'
import { handler as renew } from '#functions/api/client-sessions/renew-client-session.ts'
import { commit } from '#shared/commit/commit.ts'
import { authorizationsOf } from '#shared/commit/revoke.ts'
import { clock } from '#shared/core/clock.ts'
import { uuidV7 } from '#shared/core/ids.ts'
import { maxResponseBytes } from '#shared/core/json/response-size.ts'
import { resources } from '#shared/domain/resources/resource.ts'
import { presenceKey } from '#shared/domain/sessions/presence.ts'
import { getItem } from '#shared/table/read.ts'
import { type AccessWorld, newAccessWorld } from '#test/support/access/access.ts'
import { heartbeat } from '#test/support/access/gateways.ts'
import { type Answer, call } from '#test/support/accounts/account.ts'
import { addLargeResources } from '#test/support/largest/large-resources.ts'
import { plantItems } from '#test/support/table/plant-rows.ts'

type Query = Record<string, string> | string
const fromHome = [{ property: 'remote_ip', operator: 'is_in_cidr', values: ['192.0.2.0/24'] }]

const list = (token: string, id: string, query: Query = '', sourceIp?: string) =>
  call(handler, { token, params: { id }, query, sourceIp })
const beat = (token: string, id: string) => call(renew, { method: 'PUT', token, params: { id } })
const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id)

/** Size in bytes of a response as Lambda returns it, with the body as a JSON string. */
const bytesOf = ({ text }: Answer) => Buffer.byteLength(JSON.stringify(text))

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

describe('GET /client/sessions/{id}/resources (P3.1(5))', () => {
  test('lists the reachable resources, from the beginning without a cursor', async () => {
    const world = await newAccessWorld()
    const { id, resources_cursor } = (await world.startSession()).body.data
    expect(resources_cursor).toBeNull()
    expect((await beat(world.token.token, id)).body.data.resources_cursor).toBeNull()
    const { inserted_at: _inserted, updated_at: _updated, ...resource } = world.resource
    expect(await list(world.token.token, id)).toMatchObject({
      status: 200,
      body: { data: [resource], metadata: { next_page: null } },
    })
    const poor = await newAccessWorld(fromHome)
    const session = (await poor.startSession({}, { sourceIp: '198.51.100.7' })).body.data
    expect((await list(poor.token.token, session.id, '', '198.51.100.7')).body).toEqual({
      data: [],
      metadata: { next_page: null },
    })
  })

  test('returns 404 for a session that is unknown, ended, or of another token', async () => {
    const world = await newAccessWorld()
    const other = await world.addToken()
    const { id } = (await world.startSession()).body.data
    expect((await list(world.token.token, randomUUID())).status).toBe(404)
    expect((await list(other.token, id)).status).toBe(404)
    await call(end, { method: 'DELETE', token: world.token.token, params: { id } })
    expect((await list(world.token.token, id)).body).toMatchObject({ status: 404, code: 'not_found' })
    const lapsed = (await world.startSession()).body.data.id
    const now = clock.now()
    vi.spyOn(clock, 'now').mockReturnValue(now + 91_000_000)
    expect((await list(world.token.token, lapsed)).status).toBe(404)
  })

  test('does not renew the lease', async () => {
    const world = await newAccessWorld()
    const { id, client } = (await world.startSession()).body.data
    const presence = () => getItem(presenceKey(world.account.id, 'clients', client.id))
    const before = await presence()
    expect((await list(world.token.token, id)).status).toBe(200)
    expect(await presence()).toEqual(before)
  })

  test('at another location ends nonconforming authorizations, as a heartbeat does', async () => {
    const world = await newAccessWorld(fromHome)
    await world.addGateway()
    const { id, client } = (await world.startSession()).body.data
    expect((await world.ask({ resource_id: world.resource.id })).status).toBe(201)
    const listAuthorizations = () => authorizationsOf(world.account.id, { by: 'client', id: client.id })
    await list(world.token.token, id)
    expect(await listAuthorizations()).toHaveLength(1)
    expect((await list(world.token.token, id, '', '198.51.100.7')).body.data).toEqual([])
    expect(await listAuthorizations()).toHaveLength(0)
  })
})

async function pageThrough(world: AccessWorld, sessionId: string, first: Answer): Promise<string[]> {
  const { resources, resources_cursor } = first.body.data
  const pages: Answer[] = [first]
  const ids = idsOf(resources)
  for (let page_cursor = resources_cursor; page_cursor; page_cursor = pages.at(-1)?.body.metadata.next_page) {
    const page = await list(world.token.token, sessionId, { page_cursor })
    expect(page.status, page.text.slice(0, 500)).toBe(200)
    pages.push(page)
    ids.push(...idsOf(page.body.data))
  }
  const sizes = pages.map(bytesOf)
  for (const size of sizes) expect(size).toBeLessThanOrEqual(maxResponseBytes)
  // Expects that each page except the last is filled up to the maximum.
  for (const size of sizes.slice(0, -1)) expect(size).toBeGreaterThan(maxResponseBytes - 1_000_000)
  return ids
}

describe('a client whose resources exceed one response', () => {
  test('receives each resource once, at its start, by a heartbeat and by its list', async () => {
    const world = await newAccessWorld()
    const reachable = [world.resource.id, ...(await addLargeResources(world, 10))]
    const started = await world.startSession()
    const { id } = started.body.data
    expect(started.status).toBe(201)
    expect(started.body.data.resources_cursor).toEqual(expect.any(String))
    expect(await pageThrough(world, id, started)).toEqual(reachable)
    expect(await pageThrough(world, id, await beat(world.token.token, id))).toEqual(reachable)
    const whole = await list(world.token.token, id)
    const { data, metadata } = whole.body
    const asAnswer = { ...whole, body: { data: { resources: data, resources_cursor: metadata.next_page } } }
    expect(await pageThrough(world, id, asAnswer)).toEqual(reachable)
  })

  test('continues after the last received resource, whatever has changed in between', async () => {
    const world = await newAccessWorld()
    const [first, ...others] = await addLargeResources(world, 8)
    const { id, resources: listed, resources_cursor: page_cursor } = (await world.startSession()).body.data
    await commit({ accountId: world.account.id, subject: null }, async (transaction) =>
      transaction.delete(resources, { ...listed.at(-1), inserted_at: '', updated_at: '' }),
    )
    const late = await world.addResource({ name: 'Late' })
    await world.addPolicy({ resource_id: late.id })
    const { body } = await list(world.token.token, id, { page_cursor })
    const remaining = [...others, late.id].filter((one) => !idsOf(listed).includes(one))
    expect(idsOf(listed)).toContain(first)
    expect([idsOf(body.data), body.metadata.next_page]).toEqual([remaining, null])
  })

  test('accepts only cursors of its session', async () => {
    const world = await newAccessWorld()
    await addLargeResources(world, 8)
    const former = (await world.startSession()).body.data
    const { id, resources_cursor } = (await world.startSession()).body.data
    const foreign = former.resources_cursor
    for (const cursor of ['', 'x', foreign, resources_cursor.slice(0, -1), `${resources_cursor}A`]) {
      const refused = await list(world.token.token, id, { page_cursor: cursor })
      expect([refused.status, refused.body.code], cursor).toEqual([400, 'invalid_page_cursor'])
    }
    const twice = await list(world.token.token, id, `page_cursor=${resources_cursor}&page_cursor=${resources_cursor}`)
    expect([twice.status, twice.body.code]).toEqual([400, 'invalid_page_cursor'])
    expect((await list(world.token.token, former.id, { page_cursor: foreign })).status).toBe(404)
    expect((await list(world.token.token, id, { page_cursor: resources_cursor })).status).toBe(200)
  })

  test('is authorized for them, and its gateway receives all authorizations over several heartbeats', {
    timeout: 300_000,
  }, async () => {
    // Sets leases that outlast this test.
    vi.stubEnv('HEARTBEAT_SECS', '3600')
    const world = await newAccessWorld()
    const gateway = await world.addGateway()
    const reachable = [world.resource.id, ...(await addLargeResources(world, 20))]
    const started = await world.startSession()
    expect(await pageThrough(world, started.body.data.id, started)).toEqual(reachable)
    for (const resource_id of reachable.slice(0, 2)) {
      const answer = await world.ask({ resource_id })
      expect(answer.status).toBe(201)
      expect(bytesOf(answer)).toBeLessThanOrEqual(maxResponseBytes)
    }
    const [granted] = await authorizationsOf(world.account.id, { by: 'gateway', id: gateway.id })
    const others = reachable.slice(2).map((resource_id) => ({ resource_id, id: uuidV7(clock.now()) }))
    await plantItems(
      others.map((other) => ({ ...granted, ...other, kind: 'authorization', pk: granted?.pk ?? '', sk: other.id })),
    )
    const receivedIds: string[] = []
    let answers = 0
    for (let since: string | null = null, more = true; more; ) {
      const answer = await heartbeat(gateway.token, gateway.session.id, { session: { since } })
      expect(answer.status, answer.text.slice(0, 500)).toBe(200)
      expect(bytesOf(answer)).toBeLessThanOrEqual(maxResponseBytes)
      answers++
      const { data } = answer.body
      expect(data.complete).toBe(since === null)
      receivedIds.push(
        ...(data.authorizations ?? data.added).map((one: { resource: { id: string } }) => one.resource.id),
      )
      since = data.since
      more = data.more
    }
    expect(receivedIds).toEqual(reachable)
    expect(answers).toBeGreaterThan(2)
  })
})
