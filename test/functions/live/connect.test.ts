import { randomUUID } from 'node:crypto'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { handler as endClient } from '#functions/api/client-sessions/end-client-session.ts'
import { handler as renewClient } from '#functions/api/client-sessions/renew-client-session.ts'
import { handler as getClient } from '#functions/api/clients/get-client.ts'
import { handler as renewGateway } from '#functions/api/gateway-sessions/renew-gateway-session.ts'
import type { Bucket } from '#shared/auth/rate-limit/bucket.ts'
import { bucketKey } from '#shared/auth/rate-limit/bucket-item.ts'
import { authorizationsOf } from '#shared/commit/revoke.ts'
import { clock } from '#shared/core/clock.ts'
import { findPresence } from '#shared/domain/sessions/presence.ts'
import { connectionsOf } from '#shared/live/connection.ts'
import { table, tableName } from '#shared/table/table.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { openChannel, Refusal } from '#test/support/access/live.ts'
import { call } from '#test/support/accounts/account.ts'
import { until } from '#test/support/run/until.ts'

let channel: Awaited<ReturnType<typeof openChannel>>
beforeAll(async () => {
  channel = await openChannel()
})
afterEach(() => vi.unstubAllEnvs())
afterAll(() => channel.stop())

const refusal = (connecting: Promise<unknown>) =>
  connecting.then(
    () => expect.unreachable(),
    (error: unknown) => (error instanceof Refusal ? error.refused : Promise.reject(error)),
  )

const secondsUntil = (expires_at: string) => (Date.parse(expires_at) - Date.now()) / 1_000

describe('connecting (C2)', () => {
  test('is offered by the responses that start and renew a session', async () => {
    const world = await newAccessWorld()
    const gateway = await world.addGateway()
    expect(gateway.session.live).toEqual({ url: channel.url, keepalive_secs: 30 })
    const { id, live } = (await world.startSession()).body.data
    expect(live).toEqual({ url: channel.url, keepalive_secs: 300 })
    const beat = await call(renewClient, { method: 'PUT', token: world.token.token, params: { id } })
    expect(beat.body.data.live).toEqual(live)
  })

  test('refuses tokens, sessions and browsers as HTTP does', async () => {
    const world = await newAccessWorld()
    const other = await world.addToken()
    const { id } = (await world.startSession()).body.data
    const { token } = world.token
    expect(await refusal(channel.connect('nac_wrong', id))).toMatchObject({
      status: 401,
      body: { code: 'unauthorized' },
    })
    expect(await refusal(channel.connect(world.account.token, id))).toMatchObject({ status: 401 })
    expect(await refusal(channel.connect(token, randomUUID()))).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    })
    expect(await refusal(channel.connect(token, 'x'))).toMatchObject({ status: 404 })
    expect(await refusal(channel.connect(other.token, id))).toMatchObject({ status: 404 })
    const elsewhere = await newAccessWorld()
    expect(await refusal(channel.connect(elsewhere.token.token, id))).toMatchObject({ status: 404 })
    const browser = { origin: 'https://example.com' }
    expect(await refusal(channel.connect(token, id, browser))).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    })
    const device = await channel.connect(token, `${id}&token=nonsense`)
    device.close()
    await call(endClient, { method: 'DELETE', token, params: { id } })
    expect(await refusal(channel.connect(token, id))).toMatchObject({ status: 404 })
  })

  test('checks the origin, the CDN, the token, the rate and the session in this order (C2.2)', async () => {
    const world = await newAccessWorld()
    const empty = await world.addToken()
    const bucket = { accountId: world.account.id, owner: `token#${empty.id}` } as Bucket
    vi.stubEnv('CDN_SECRET', 'from-the-cdn')
    const proof = { 'x-origin-secret': 'from-the-cdn' }
    const refused = async (token: string, headers: Record<string, string>) => {
      const { status, body } = await refusal(channel.connect(token, randomUUID(), headers))
      return [status, body.code, body.detail]
    }
    expect(await refused('nac_wrong', { origin: 'https://example.com' })).toEqual([
      403,
      'forbidden',
      'The live channel is not for browsers.',
    ])
    expect(await refused('nac_wrong', {})).toEqual([403, 'forbidden', 'This request did not come through the CDN.'])
    expect(await refused('nac_wrong', proof)).toEqual([401, 'unauthorized', expect.any(String)])
    // Puts the bucket into debt. An empty bucket is full after ten seconds, but this bucket is full only after fourteen.
    const Item = { ...bucketKey(bucket), kind: 'rate', full_at: clock.now() + 14_000_000 }
    await table().send(new PutCommand({ TableName: tableName(), Item }))
    expect(await refused(empty.token, proof)).toEqual([429, 'rate_limited', expect.any(String)])
    expect(await refused(world.token.token, proof)).toEqual([404, 'not_found', expect.any(String)])
  })

  test('keeps one connection per session, the newest', async () => {
    const world = await newAccessWorld()
    const { id, client } = (await world.startSession()).body.data
    const first = await channel.connect(world.token.token, id)
    const second = await channel.connect(world.token.token, id)
    expect(await first.next('closing')).toEqual({ type: 'closing', code: 4001, reason: 'replaced' })
    await first.closed
    second.send({ type: 'ping', id: 'a' })
    expect(await second.next('pong')).toEqual({ type: 'pong', id: 'a' })
    await until(async () => (await connectionsOf(world.account.id, 'clients')).length === 1)
    const presence = await findPresence(world.account.id, 'clients', client.id)
    expect(presence?.connection_id).toBe((await connectionsOf(world.account.id, 'clients'))[0]?.connection_id)
  })

  test("keeps one of a session's concurrent connections", async () => {
    const world = await newAccessWorld()
    const { id } = (await world.startSession()).body.data
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => channel.connect(world.token.token, id)))
    for (const outcome of all) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ refused: { status: 429 } })
    }
    const opened = all.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    for (const device of opened) device.send({ type: 'ping', id: 'a' })
    const ends = opened.map((device) => Promise.race([device.closed, device.next('pong').then(() => 'stands')]))
    expect((await Promise.all(ends)).filter((end) => end === 'stands')).toHaveLength(1)
    await until(async () => (await connectionsOf(world.account.id, 'clients')).length === 1)
  })

  test('counts as a heartbeat, and checks the authorizations of a client again', async () => {
    const fromHome = [{ property: 'remote_ip', operator: 'is_in_cidr', values: ['192.0.2.0/24'] }]
    const world = await newAccessWorld(fromHome)
    await world.addGateway()
    const { id, client } = (await world.startSession()).body.data
    expect((await world.ask({ resource_id: world.resource.id })).status).toBe(201)
    await channel.connect(world.token.token, id)
    expect(await authorizationsOf(world.account.id, { by: 'client', id: client.id })).toEqual([])
    const shown = (await world.account.call(getClient, { params: { id: client.id } })).body.data
    expect(shown).toMatchObject({ online: true, last_seen_remote_ip: '127.0.0.1' })
  })
})

describe('presence (C3)', () => {
  test('lasts three keepalives after any sign of life while connected, and three heartbeats afterwards', async () => {
    const world = await newAccessWorld()
    const { id, client } = (await world.startSession()).body.data
    const leaseSeconds = async () => {
      const presence = await findPresence(world.account.id, 'clients', client.id)
      return Math.round(((presence?.lease_expires_at ?? 0) - clock.now()) / 1_000_000 / 10) * 10
    }
    expect(await leaseSeconds()).toBe(90)
    const device = await channel.connect(world.token.token, id)
    expect(await leaseSeconds()).toBe(900)
    const beat = await call(renewClient, { method: 'PUT', token: world.token.token, params: { id } })
    expect(secondsUntil(beat.body.data.expires_at)).toBeGreaterThan(800)
    const before = (await findPresence(world.account.id, 'clients', client.id))?.lease_expires_at ?? 0
    device.send({ type: 'ping', id: '1' })
    await device.next('pong')
    expect((await findPresence(world.account.id, 'clients', client.id))?.lease_expires_at).toBeGreaterThan(before)
    device.close()
    await until(async () => (await leaseSeconds()) === 90)
    await until(async () => (await connectionsOf(world.account.id, 'clients')).length === 0)
    await channel.connect(world.token.token, id)
    expect(await leaseSeconds()).toBe(900)
  })

  test('of a gateway is as short as without a channel, and a disconnection never extends a lease', async () => {
    const world = await newAccessWorld()
    const gateway = await world.addGateway()
    const device = await channel.connect(gateway.token, gateway.session.id)
    const lease = async () => (await findPresence(world.account.id, 'gateways', gateway.id))?.lease_expires_at ?? 0
    const connected = await lease()
    expect(Math.round((connected - clock.now()) / 10_000_000) * 10).toBe(90)
    device.close()
    await until(async () => (await findPresence(world.account.id, 'gateways', gateway.id))?.connection_id === undefined)
    expect(await lease()).toBe(connected)
    const beat = await call(renewGateway, { method: 'PUT', token: gateway.token, params: { id: gateway.session.id } })
    expect(beat.status).toBe(200)
  })
})
