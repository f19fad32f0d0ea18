import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { HttpResponse } from '@smithy/core/protocols'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { handler as renewGateway } from '#functions/api/gateway-sessions/renew-gateway-session.ts'
import { findPresence } from '#shared/domain/sessions/presence.ts'
import { connectionsOf, findConnection, keepConnection } from '#shared/live/connection.ts'
import { nudgeGateway } from '#shared/live/nudge-gateway.ts'
import { sendMessage } from '#shared/live/send-message.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { openChannel } from '#test/support/access/live.ts'
import { call } from '#test/support/accounts/account.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { failTable } from '#test/support/table/table-faults.ts'

let channel: Awaited<ReturnType<typeof openChannel>>
beforeAll(async () => {
  channel = await openChannel()
})
afterEach(() => vi.restoreAllMocks())
afterAll(() => channel.stop())

async function connected() {
  const world = await newAccessWorld()
  const gateway = await world.addGateway()
  const device = await channel.connect(gateway.token, gateway.session.id)
  const beat = async () =>
    (await call(renewGateway, { method: 'PUT', token: gateway.token, params: { id: gateway.session.id } })).body.data
  const nudge = () => nudgeGateway(world.account.id, gateway.id)
  const nudges = () => device.received.filter(({ type }) => type === 'authorizations').length
  return { world, gateway, device, beat, nudge, nudges }
}

test('a gateway is notified once until its heartbeat, which then reports more (C5.1)', async () => {
  const { device, beat, nudge, nudges } = await connected()
  await nudge()
  expect(await device.next('authorizations')).toEqual({ type: 'authorizations' })
  await Promise.all([nudge(), nudge(), nudge()])
  expect(nudges()).toBe(1)
  expect((await beat()).more).toBe(true)
  expect((await beat()).more).toBe(false)
  await nudge()
  await device.next('authorizations')
  expect((await beat()).more).toBe(false)
})

test('a nudge without a heartbeat suppresses others for one second', async () => {
  const { device, nudge, nudges } = await connected()
  await nudge()
  await nudge()
  await sleep(1_050)
  await nudge()
  await device.next('authorizations')
  await device.next('authorizations')
  expect(nudges()).toBe(2)
})

test('one of several concurrent nudges is sent, and no change is lost', async () => {
  const { beat, nudge, nudges } = await connected()
  await Promise.all(Array.from({ length: 20 }, nudge))
  expect(nudges()).toBeLessThanOrEqual(2)
  expect((await beat()).more).toBe(true)
})

test('a grant with its nudge takes at most 16 write units', async () => {
  const { world, device } = await connected()
  await world.startSession()
  await world.ask({ resource_id: world.resource.id })
  await device.next('authorizations')
  const more = await world.addResource({ name: 'Code', address: 'code.example.com' })
  await world.addPolicy({ resource_id: more.id })
  await sleep(1_050)
  const { writes } = await measure(async () => {
    expect((await world.ask({ resource_id: more.id })).status).toBe(201)
    await device.next('authorizations')
  })
  expect(writes).toBeLessThanOrEqual(16)
})

test('a gateway without a connection is not notified, and costs no write', async () => {
  const world = await newAccessWorld()
  const gateway = await world.addGateway()
  const before = await findPresence(world.account.id, 'gateways', gateway.id)
  await nudgeGateway(world.account.id, gateway.id)
  expect(await findPresence(world.account.id, 'gateways', gateway.id)).toEqual(before)
  await nudgeGateway(world.account.id, '01890000-0000-7000-8000-000000000000')
})

test('a nudge tolerates a failing table and an unreachable platform', async () => {
  const { world, gateway, nudge } = await connected()
  failTable('InternalServerError', () => true)
  await expect(nudge()).resolves.toBeUndefined()
  vi.restoreAllMocks()
  const endpoint = process.env.LIVE_ENDPOINT
  process.env.LIVE_ENDPOINT = 'http://127.0.0.1:1/live'
  await expect(nudge()).resolves.toBeUndefined()
  process.env.LIVE_ENDPOINT = endpoint
  expect((await findPresence(world.account.id, 'gateways', gateway.id))?.connection_id).toBeDefined()
})

test('a failed nudge is repeated if another one was suppressed meanwhile', async () => {
  const { nudge, nudges, device, beat } = await connected()
  const { handle } = NodeHttpHandler.prototype
  const release = Promise.withResolvers<void>()
  const requested = Promise.withResolvers<void>()
  let refusals = 1
  vi.spyOn(NodeHttpHandler.prototype, 'handle').mockImplementation(async function (this: NodeHttpHandler, ...args) {
    if (!args[0].path.includes('connections/') || refusals-- <= 0) return handle.apply(this, args)
    requested.resolve()
    await release.promise
    return { response: new HttpResponse({ statusCode: 429, body: Readable.from([Buffer.from('{}')]) }) }
  })
  const first = nudge()
  await requested.promise
  await nudge()
  expect(nudges()).toBe(0)
  release.resolve()
  await first
  await device.next('authorizations')
  expect((await beat()).more).toBe(false)
  // Expects that a refused nudge is not repeated if it suppressed no other nudge, and that the next nudge is sent immediately.
  refusals = 1
  await nudge()
  expect(nudges()).toBe(1)
  await nudge()
  await device.next('authorizations')
})

test('a connection that no longer exists is deleted, unless its handshake may still be in progress (C5.4)', async () => {
  const { world, gateway } = await connected()
  const [connection] = await connectionsOf(world.account.id, 'gateways')
  if (!connection) throw new Error('There is no connection.')
  expect(connection.device_id).toBe(gateway.id)
  const gone = { ...connection, connection_id: 'Z29uZQ==' }
  await keepConnection(gone)
  expect(await sendMessage(gone, { type: 'authorizations' })).toBe('gone')
  expect(await findConnection(gone.connection_id)).toBeDefined()
  expect(await sendMessage({ ...gone, connected_at: gone.connected_at - 60_000_000 }, { type: 'authorizations' })).toBe(
    'gone',
  )
  expect(await findConnection(gone.connection_id)).toBeUndefined()
})
