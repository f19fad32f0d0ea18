import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler as updateActor } from '#functions/api/actors/update-actor.ts'
import { handler as endClient } from '#functions/api/client-sessions/end-client-session.ts'
import { handler as renewClient } from '#functions/api/client-sessions/renew-client-session.ts'
import { handler as startClient } from '#functions/api/client-sessions/start-client-session.ts'
import { handler as deleteClient } from '#functions/api/clients/delete-client.ts'
import { handler as getClient } from '#functions/api/clients/get-client.ts'
import { handler as listClients } from '#functions/api/clients/list-clients.ts'
import { handler as endGateway } from '#functions/api/gateway-sessions/end-gateway-session.ts'
import { handler as renewGateway } from '#functions/api/gateway-sessions/renew-gateway-session.ts'
import { handler as startGateway } from '#functions/api/gateway-sessions/start-gateway-session.ts'
import { handler as createGateway } from '#functions/api/gateways/create-gateway.ts'
import { handler as getGateway } from '#functions/api/gateways/get-gateway.ts'
import { handler as listGateways } from '#functions/api/gateways/list-gateways.ts'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { clock, parseTimestamp, timestamp } from '#shared/core/clock.ts'
import { dayOf, logPartition } from '#shared/logs/entries/log-keys.ts'
import { readEntry } from '#shared/logs/entries/log-store.ts'
import { queryItems } from '#shared/table/read.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { publicKey } from '#test/support/access/public-key.ts'
import { call } from '#test/support/accounts/account.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { followUpAll } from '#test/support/logs/commit-stream.ts'

type Request = Partial<Parameters<typeof call>[1]>
type World = Awaited<ReturnType<typeof newAccessWorld>>

async function newDevice(kind: 'gateway' | 'client', world: World) {
  const handlers =
    kind === 'gateway'
      ? { start: startGateway, renew: renewGateway, end: endGateway }
      : { start: startClient, renew: renewClient, end: endClient }
  const params = { site_id: world.site.id }
  const token: string =
    kind === 'client'
      ? world.token.token
      : (await world.account.call(createGateway, { method: 'POST', params })).body.data.token
  const key = publicKey()
  const fields = { public_key: key, version: '1.4.0', ...(kind === 'client' && { svc_id: 'laptop' }) }
  const device = {
    token,
    key,
    start: (session: Record<string, unknown> = {}, request: Request = {}) =>
      call(handlers.start, { method: 'POST', token, body: { session: { ...fields, ...session } }, ...request }),
    beat: (id: string, request: Request = {}) =>
      call(handlers.renew, { method: 'PUT', token, params: { id }, ...request }),
    end: (id: string, request: Request = {}) =>
      call(handlers.end, { method: 'DELETE', token, params: { id }, ...request }),
    show: async (id: string) => {
      const one = kind === 'client' ? { params: { id } } : { params: { ...params, id } }
      const listed = await world.account.call(kind === 'client' ? listClients : listGateways, { params })
      const { data } = (await world.account.call(kind === 'client' ? getClient : getGateway, one)).body
      const inList = listed.body.data.find((row: { id: string }) => row.id === id)
      expect(inList).toEqual(data)
      return data
    },
    /** Starts a session. `end` is the time at which its lease expires, in microseconds. */
    session: async (session: Record<string, unknown> = {}, request: Request = {}) => {
      const { data } = (await device.start(session, request)).body
      return { id: data.id, end: parseTimestamp(data.expires_at) as number, device: data[kind].id as string }
    },
  }
  return device
}

const now = clock.now.bind(clock)
const freeze = (micros: number) => vi.spyOn(clock, 'now').mockReturnValue(micros)
const update = (id: string, account: object) => provision({ operation: 'update_account', account_id: id, account })
const sessionEntries = (world: World) => queryItems(logPartition(world.account.id, 'session', dayOf(now())))

let world: World
beforeEach(async () => {
  world = await newAccessWorld()
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

describe.each(['gateway', 'client'] as const)('the session of a %s (P1)', (kind) => {
  it('has a lease of 3 heartbeats, for any configured interval', async () => {
    const device = await newDevice(kind, world)
    for (const secs of [30, 7]) {
      vi.stubEnv('HEARTBEAT_SECS', String(secs))
      const at = now()
      freeze(at)
      const { data } = (await device.start()).body
      expect([data.heartbeat_secs, data.expires_at]).toEqual([secs, timestamp(at + 3 * secs * 1_000_000)])
      freeze(at + 1_000_000)
      const beat = (await device.beat(data.id)).body.data
      expect([beat.heartbeat_secs, beat.expires_at]).toEqual([secs, timestamp(at + (3 * secs + 1) * 1_000_000)])
      vi.restoreAllMocks()
    }
  })

  it('decides whether the device is online, to the microsecond and without a job', async () => {
    const device = await newDevice(kind, world)
    const { id, end, device: deviceId } = await device.session()
    freeze(end - 1)
    expect((await device.show(deviceId)).online).toBe(true)
    freeze(end)
    expect((await device.show(deviceId)).online).toBe(false)
    expect([(await device.beat(id)).status, (await device.end(id)).status]).toEqual([404, 404])
    freeze(end - 1)
    expect((await device.beat(id)).status).toBe(200)
    freeze(end)
    expect((await device.show(deviceId)).online).toBe(true)
  })

  it("stores the device's location at the start and at each heartbeat, and keeps the version of the start", async () => {
    const device = await newDevice(kind, world)
    const { id, device: deviceId } = await device.session({}, { headers: { 'user-agent': 'one/1' } })
    expect(await device.show(deviceId)).toMatchObject({
      last_seen_version: '1.4.0',
      last_seen_user_agent: 'one/1',
      last_seen_remote_ip: '192.0.2.10',
    })
    const at = now() + 20_000_000
    freeze(at)
    await device.beat(id, { sourceIp: '2001:DB8::7', headers: { 'user-agent': 'x'.repeat(300) } })
    expect(await device.show(deviceId)).toMatchObject({
      last_seen_at: timestamp(at),
      last_seen_version: '1.4.0',
      last_seen_user_agent: 'x'.repeat(255),
      last_seen_remote_ip: '2001:db8::7',
      last_seen_remote_ip_location_region: null,
    })
  })

  it('is logged at its start only', async () => {
    const device = await newDevice(kind, world)
    const { id } = await device.session()
    await device.beat(id)
    await device.end(id)
    await device.start({ version: '' })
    expect(await sessionEntries(world)).toHaveLength(1)
  })

  it('is visible only to the token that started it, until it ends', async () => {
    const device = await newDevice(kind, world)
    const other = kind === 'client' ? (await world.addToken()).token : (await newDevice(kind, world)).token
    const { id } = await device.session()
    for (const request of [{ params: { id: randomUUID() } }, { token: other }]) {
      expect([(await device.beat(id, request)).status, (await device.end(id, request)).status]).toEqual([404, 404])
    }
    expect((await device.end(id)).body).toEqual({ data: { id } })
    expect([(await device.end(id)).status, (await device.beat(id)).status]).toEqual([404, 404])
  })

  it('ends when another session with the same key starts', async () => {
    const device = await newDevice(kind, world)
    const first = await device.session()
    const second = await device.session()
    expect(second.device).toBe(first.device)
    expect([(await device.beat(first.id)).status, (await device.end(first.id)).status]).toEqual([404, 404])
    expect((await device.beat(second.id)).status).toBe(200)
  })

  it('ends when its account is disabled, and does not return', async () => {
    const device = await newDevice(kind, world)
    const { id, device: deviceId } = await device.session()
    await update(world.account.id, { is_disabled: true })
    for (const { status } of [await device.beat(id), await device.end(id), await device.start()])
      expect(status).toBe(401)
    await update(world.account.id, { is_disabled: false })
    expect((await device.show(deviceId)).online).toBe(false)
    expect((await device.beat(id)).status).toBe(kind === 'client' ? 401 : 404)
  })

  it('accepts any key of 32 bytes, even that of another device', async () => {
    const [one, other] = [await newDevice(kind, world), await newDevice(kind, world)]
    const first = await one.session({ public_key: one.key })
    const second = await other.session({ public_key: one.key, svc_id: 'other' })
    expect(second.device).not.toBe(first.device)
    expect([(await one.beat(first.id)).status, (await other.beat(second.id)).status]).toEqual([200, 200])
    const bytes = (length: number) => Buffer.alloc(length, 255).toString('base64')
    for (const key of [bytes(31), bytes(33), bytes(32).slice(0, -1), bytes(32).replace('/', '_'), `${bytes(32)}=`, {}])
      expect((await one.start({ public_key: key })).body.errors).toEqual({ public_key: [mustBe.key] })
  })

  it('accepts texts up to their maximum length', async () => {
    const device = await newDevice(kind, world)
    const name = kind === 'client' ? 'svc_id' : 'name'
    expect((await device.start({ version: 'v'.repeat(64), [name]: 'n'.repeat(255) })).status).toBe(201)
    expect((await device.start({ version: 'v'.repeat(65), [name]: 'n'.repeat(256) })).body.errors).toEqual({
      version: ['should be at most 64 character(s)'],
      [name]: ['should be at most 255 character(s)'],
    })
  })

  it('has responses without an entity tag, no request log, and its own rate limit', async () => {
    const device = await newDevice(kind, world)
    const headers = { 'idempotency-key': 'same', 'if-match': '"none"', 'if-none-match': '*' }
    const answers = [await device.start({}, { headers }), await device.start({}, { headers })]
    const ids = answers.map(({ body }) => body.data.id)
    expect(new Set(ids).size).toBe(2)
    answers.push(await device.beat(ids[1], { headers }), await device.end(ids[1], { headers }))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 200, 200])
    for (const { headers: sent } of answers) {
      expect(sent.etag).toBeUndefined()
      expect(sent['ratelimit-policy']).toBe('"access";q=200;w=10')
      expect(sent['x-request-id']).toBeDefined()
    }
    const logged = await queryItems(logPartition(world.account.id, 'api_request', dayOf(now())))
    expect(logged.filter((item) => String(readEntry(item).path).includes('sessions'))).toEqual([])
  })

  it('checks token, path, body and session in this order', async () => {
    const device = await newDevice(kind, world)
    const bad = { rawBody: '{', params: { id: 'x' } }
    const codes = async (request: Request) => (await device.beat('', request)).body.code
    expect(await codes({ ...bad, token: 'nonsense' })).toBe('unauthorized')
    expect(await codes(bad)).toBe('invalid_path_parameter')
    expect(await codes({ params: { id: randomUUID() } })).toBe('not_found')
    const start = async (request: Request) => (await device.start({}, request)).body.code
    expect(await start({ rawBody: '{', token: 'nonsense' })).toBe('unauthorized')
    expect(await start({ rawBody: '{' })).toBe('invalid_json')
    expect(await start({ body: {} })).toBe('bad_request')
    expect(await start({ body: { session: [] } })).toBe('bad_request')
    expect(await start({ rawBody: 'x'.repeat(5_000_001), token: 'nonsense' })).toBe('payload_too_large')
  })
})

it("a gateway's session survives if it starts after its account was enabled again", async () => {
  const gateway = await newDevice('gateway', world)
  await gateway.session()
  await update(world.account.id, { is_disabled: true })
  await update(world.account.id, { is_disabled: false })
  const { id } = await gateway.session()
  // Expects that the stream ends only sessions that existed when the account was disabled.
  await followUpAll(world.account.id)
  expect((await gateway.beat(id)).status).toBe(200)
})

describe('the sessions of an actor’s clients (P1.7, P3.1)', () => {
  it('end when their token expires, even before its row is deleted', async () => {
    const end = now() + 40_000_000
    const { token } = await world.addToken(world.actor, timestamp(end))
    const device = await newDevice('client', world)
    const { id, device: deviceId } = await device.session({}, { token })
    freeze(end - 1)
    expect([(await device.beat(id, { token })).status, (await device.show(deviceId)).online]).toEqual([200, true])
    freeze(end)
    expect([(await device.beat(id, { token })).status, (await device.show(deviceId)).online]).toEqual([401, false])
  })

  it('end when the actor is disabled, and do not return', async () => {
    const device = await newDevice('client', world)
    const { id, device: deviceId } = await device.session()
    const set = (is_disabled: boolean) =>
      world.account.call(updateActor, {
        method: 'PATCH',
        params: { id: world.actor.id },
        body: { actor: { is_disabled } },
      })
    await set(true)
    expect([(await device.beat(id)).status, (await device.show(deviceId)).online]).toEqual([401, false])
    await set(false)
    expect((await device.beat(id)).status).toBe(401)
  })

  it('end with their client, which can register again', async () => {
    const device = await newDevice('client', world)
    const { id, device: deviceId } = await device.session()
    await world.account.call(deleteClient, { method: 'DELETE', params: { id: deviceId } })
    expect((await device.beat(id)).status).toBe(404)
    expect((await device.session()).device).not.toBe(deviceId)
  })

  it('belong to one client per actor and installation, for any token', async () => {
    const device = await newDevice('client', world)
    const first = await device.session({ hostname: 'one', os_name: 'Linux' })
    const { token } = await world.addToken()
    const second = await device.session({ hostname: 'two' }, { token })
    expect(second.device).toBe(first.device)
    expect([(await device.beat(first.id)).status, (await device.beat(second.id, { token })).status]).toEqual([404, 200])
    expect(await world.account.call(listClients)).toMatchObject({ body: { metadata: { total: 1 } } })
    expect((await device.start({}, { token })).body.data.client).toMatchObject({ hostname: 'two' })
    const started = (await device.start({ svc_id: ' laptop ' }, { token })).body.data.client
    expect([started.id, started.svc_id]).toEqual([first.device, 'laptop'])
  })

  it('lets only the newest of concurrent starts survive', async () => {
    const device = await newDevice('client', world)
    const started = await Promise.all(Array.from({ length: 5 }, () => device.session()))
    const beats = await Promise.all(started.map(async ({ id }) => (await device.beat(id)).status))
    expect(beats.filter((status) => status === 200)).toHaveLength(1)
    expect(await sessionEntries(world)).toHaveLength(5)
  })

  it('list the resources in the order of resources', async () => {
    const more = [await world.addResource({ name: 'B' }), await world.addResource({ name: 'A' })]
    for (const { id } of more.toReversed()) await world.addPolicy({ resource_id: id })
    const device = await newDevice('client', world)
    const ids = (await device.start()).body.data.resources.map(({ id }: { id: string }) => id)
    expect(ids).toEqual([world.resource.id, ...more.map(({ id }) => id)])
  })
})
