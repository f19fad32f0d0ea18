import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { handler as updateActor } from '#functions/api/actors/update-actor.ts'
import { handler as endClient } from '#functions/api/client-sessions/end-client-session.ts'
import { handler as removeToken } from '#functions/api/client-tokens/delete-client-token.ts'
import { findPresence, presenceKey } from '#shared/domain/sessions/presence.ts'
import { connectionsOf, findConnection, keepConnection } from '#shared/live/connection.ts'
import { table, tableName } from '#shared/table/table.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { type LiveDevice, openChannel } from '#test/support/access/live.ts'
import { call } from '#test/support/accounts/account.ts'
import { until } from '#test/support/run/until.ts'
import { recordCommands } from '#test/support/table/intercept-table.ts'

let channel: Awaited<ReturnType<typeof openChannel>>
beforeAll(async () => {
  channel = await openChannel()
})
afterAll(() => channel.stop())

async function connected() {
  const world = await newAccessWorld()
  const { id, client } = (await world.startSession()).body.data
  const device = await channel.connect(world.token.token, id)
  const presence = async () => findPresence(world.account.id, 'clients', client.id)
  return { world, id, client, device, presence }
}

async function sendAll(device: LiveDevice, messages: unknown[], answer: string): Promise<void> {
  for (const message of messages) {
    device.send(message)
    await device.next(answer)
  }
}

describe('messages of a device (C4)', () => {
  test('renew the lease with one write', async () => {
    const { device, presence } = await connected()
    const before = (await presence())?.lease_expires_at ?? 0
    const sent = recordCommands()
    device.send({ type: 'keepalive' })
    await until(async () => ((await presence())?.lease_expires_at ?? 0) > before)
    const writes = sent.filter((command) => command instanceof UpdateCommand)
    vi.restoreAllMocks()
    expect(writes).toHaveLength(1)
    expect(device.received).toEqual([])
  })

  test('measure the round trip, and get no other answer', async () => {
    const { device } = await connected()
    const id = 'x'.repeat(64)
    device.send({ type: 'ping', id, more: 'ignored' })
    expect(await device.next('pong')).toEqual({ type: 'pong', id })
  })

  test.each([
    ['no JSON', 'hello'],
    ['no object', '"keepalive"'],
    ['a list', '[]'],
    ['null', 'null'],
    ['another type', '{"type":"authorizations"}'],
    ['a ping without an id', '{"type":"ping"}'],
    ['a ping with an empty id', '{"type":"ping","id":""}'],
    ['a ping with a long id', JSON.stringify({ type: 'ping', id: 'x'.repeat(65) })],
    ['a ping with a number', '{"type":"ping","id":1}'],
    ['1,025 bytes', JSON.stringify({ type: 'keepalive', pad: 'é'.repeat(498) })],
  ])('that are %s return an error', async (_what, text) => {
    const { device } = await connected()
    device.send(text)
    expect(await device.next('error')).toEqual({ type: 'error', code: 'bad_message' })
  })

  test('that are invalid close the connection at the tenth', async () => {
    const { device } = await connected()
    await sendAll(device, Array(9).fill('nonsense'), 'error')
    device.send('nonsense')
    expect(await device.next('closing')).toEqual({ type: 'closing', code: 4400, reason: 'bad_messages' })
    expect(await device.closed).toBe(4400)
  })

  test('are at most ten in ten seconds', async () => {
    const { device, presence } = await connected()
    const pings = Array.from({ length: 10 }, (_, i) => ({ type: 'ping', id: String(i) }))
    await sendAll(device, pings, 'pong')
    expect((await presence())?.messages).toHaveLength(10)
    device.send({ type: 'keepalive' })
    expect(await device.next('closing')).toMatchObject({ code: 4429 })
    await device.closed
  })

  test('are all counted if they arrive together', async () => {
    const { device } = await connected()
    for (let i = 0; i < 30; i++) device.send({ type: 'keepalive' })
    expect(await device.next('closing')).toMatchObject({ code: 4429 })
    await device.closed
  })
})

describe('a connection whose session has ended', () => {
  test('is notified at its next message', async () => {
    const { world, device } = await connected()
    await world.account.call(updateActor, {
      method: 'PATCH',
      params: { id: world.actor.id },
      body: { actor: { is_disabled: true } },
    })
    device.send({ type: 'keepalive' })
    expect(await device.next('session_ended')).toEqual({ type: 'session_ended', reason: 'actor' })
    expect(await device.next('closing')).toMatchObject({ code: 4410 })
    await device.closed
    await until(async () => (await connectionsOf(world.account.id, 'clients')).length === 0)
  })

  test('is notified of the end of its token', async () => {
    const { world, device } = await connected()
    await world.account.call(removeToken, {
      method: 'DELETE',
      params: { actor_id: world.actor.id, id: world.token.id },
    })
    device.send({ type: 'keepalive' })
    expect(await device.next('session_ended')).toEqual({ type: 'session_ended', reason: 'token' })
  })

  test('is closed without a reason after the device ended the session', async () => {
    const { world, id, device } = await connected()
    await call(endClient, { method: 'DELETE', token: world.token.token, params: { id } })
    device.send({ type: 'keepalive' })
    expect(await device.next('closing')).toMatchObject({ code: 4410 })
    expect(device.received).toHaveLength(1)
  })

  test('is notified at once of a new session of the device', async () => {
    const { world, device } = await connected()
    await world.startSession()
    expect(await device.next('session_ended')).toEqual({ type: 'session_ended', reason: 'replaced' })
    expect(await device.next('closing')).toMatchObject({ code: 4410 })
  })
})

test('a connection that its session no longer names is closed, and renews no lease', async () => {
  const { world, client, device, presence } = await connected()
  const [connection] = await connectionsOf(world.account.id, 'clients')
  if (!connection) throw new Error('There is no connection.')
  await table().send(
    new UpdateCommand({
      TableName: tableName(),
      Key: presenceKey(world.account.id, 'clients', client.id),
      UpdateExpression: 'SET connection_id = :other',
      ExpressionAttributeValues: { ':other': 'another' },
    }),
  )
  const before = await presence()
  device.send({ type: 'keepalive' })
  expect(await device.next('closing')).toMatchObject({ code: 4001 })
  expect(await presence()).toEqual(before)
  await until(async () => (await findConnection(connection.connection_id)) === undefined)
  await keepConnection(connection)
})

test('an oversized message ends the connection', async () => {
  const { device } = await connected()
  device.send(`{"type":"keepalive","pad":"${'x'.repeat(129 * 1_024)}"}`)
  expect(await device.closed).toBe(1009)
})
