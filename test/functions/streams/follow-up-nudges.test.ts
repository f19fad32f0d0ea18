import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { marshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBStreamEvent } from 'aws-lambda'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { handler as updateActor } from '#functions/api/actors/update-actor.ts'
import { handler as renewGateway } from '#functions/api/gateway-sessions/renew-gateway-session.ts'
import { handler as deletePolicy } from '#functions/api/policies/delete-policy.ts'
import { handler as updatePolicy } from '#functions/api/policies/update-policy.ts'
import { handler as updateResource } from '#functions/api/resources/update-resource.ts'
import { handler as followUp } from '#functions/streams/follow-up.ts'
import { authorizationsOf } from '#shared/commit/revoke.ts'
import { memberships } from '#shared/domain/memberships/membership.ts'
import { presenceKey } from '#shared/domain/sessions/presence.ts'
import { type Connection, keepConnection } from '#shared/live/connection.ts'
import { partition } from '#shared/table/keys.ts'
import { queryItems } from '#shared/table/read.ts'
import { table, tableName } from '#shared/table/table.ts'
import { type AccessWorld, newAccessWorld } from '#test/support/access/access.ts'
import { type LiveDevice, openChannel } from '#test/support/access/live.ts'
import { call } from '#test/support/accounts/account.ts'
import { insertActor, insertRow } from '#test/support/accounts/rows.ts'
import { followUpFrom } from '#test/support/logs/commit-stream.ts'

let channel: Awaited<ReturnType<typeof openChannel>>
beforeAll(async () => {
  channel = await openChannel()
})
afterAll(() => channel.stop())

const commitsUntilNow = async ({ account }: AccessWorld) =>
  (await queryItems(partition(account.id, 'commits'))).at(-1)?.sk as string

async function connectedWorld() {
  const world = await newAccessWorld()
  const gateway = await world.addGateway()
  const gatewayDevice = await channel.connect(gateway.token, gateway.session.id)
  const member = await channel.connect(world.token.token, (await world.startSession()).body.data.id)
  const outsider = await insertActor(world.account.id)
  const { token } = await world.addToken(outsider)
  const strange = await world.startSession({ svc_id: 'other' }, { token })
  const stranger = await channel.connect(token, strange.body.data.id)
  return { world, gateway, gatewayDevice, member, stranger, outsider, from: await commitsUntilNow(world) }
}

const receivedTypes = ({ received }: LiveDevice) => received.map(({ type }) => type)

const removalOf = (item: Record<string, unknown>) => ({
  eventName: 'REMOVE',
  dynamodb: { SequenceNumber: '1', OldImage: marshall(item, { removeUndefinedValues: true }) },
})

test('a change of conditions notifies only the members of its group (C5.3)', async () => {
  const { world, gatewayDevice, member, stranger, from } = await connectedWorld()
  const body = { policy: { description: 'The same for everybody' } }
  await world.account.call(updatePolicy, { method: 'PATCH', params: { id: world.policy.id }, body })
  const position = await followUpFrom(world.account.id, from)
  expect(receivedTypes(member)).toEqual([])
  await world.account.call(updatePolicy, {
    method: 'PATCH',
    params: { id: world.policy.id },
    body: { policy: { conditions: [{ property: 'client_verified', operator: 'is', values: ['true'] }] } },
  })
  await followUpFrom(world.account.id, position)
  expect(await member.next('resources')).toEqual({ type: 'resources', within_ms: 0 })
  expect(receivedTypes(stranger)).toEqual([])
  expect(receivedTypes(gatewayDevice)).toEqual([])
})

test('a membership notifies its actor', async () => {
  const { world, member, stranger, outsider, from } = await connectedWorld()
  await insertRow(world.account.id, memberships, { group_id: world.group.id, actor_id: outsider.id })
  await followUpFrom(world.account.id, from)
  await stranger.next('resources')
  expect(receivedTypes(member)).toEqual([])
})

test('a resource notifies the gateways with its authorizations and the clients that see it', async () => {
  const { world, gatewayDevice, member, stranger, from } = await connectedWorld()
  expect((await world.ask({ resource_id: world.resource.id })).status).toBe(201)
  const body = { resource: { name: 'Another wiki' } }
  await world.account.call(updateResource, { method: 'PATCH', params: { id: world.resource.id }, body })
  const before = receivedTypes(gatewayDevice).length
  await followUpFrom(world.account.id, from)
  await member.next('resources')
  await gatewayDevice.next('authorizations')
  expect(receivedTypes(gatewayDevice).length).toBeGreaterThanOrEqual(Math.max(1, before))
  expect(receivedTypes(stranger)).toEqual([])
})

test('a resource does not notify a gateway whose authorization has expired but is not yet deleted', async () => {
  const { world, gateway, gatewayDevice, member, from } = await connectedWorld()
  await world.ask({ resource_id: world.resource.id })
  await gatewayDevice.next('authorizations')
  await call(renewGateway, { method: 'PUT', token: gateway.token, params: { id: gateway.session.id } })
  const [item] = await authorizationsOf(world.account.id, { by: 'resource', id: world.resource.id })
  if (!item) throw new Error('There is no authorization.')
  await table().send(
    new UpdateCommand({
      TableName: tableName(),
      Key: { pk: item.pk, sk: item.sk },
      UpdateExpression: 'SET expires_at = :past',
      ExpressionAttributeValues: { ':past': '2020-01-01T00:00:00.000000Z' },
    }),
  )
  const body = { resource: { name: 'Another wiki' } }
  await world.account.call(updateResource, { method: 'PATCH', params: { id: world.resource.id }, body })
  await followUpFrom(world.account.id, from)
  await member.next('resources')
  expect(receivedTypes(gatewayDevice)).toEqual(['authorizations'])
})

test('a deleted authorization notifies its gateway, whatever deleted it', async () => {
  const { world, gateway, gatewayDevice } = await connectedWorld()
  await world.ask({ resource_id: world.resource.id })
  const [item] = await authorizationsOf(world.account.id, { by: 'policy', id: world.policy.id })
  if (!item) throw new Error('There is no authorization.')
  await call(renewGateway, { method: 'PUT', token: gateway.token, params: { id: gateway.session.id } })
  await world.account.call(deletePolicy, { method: 'DELETE', params: { id: world.policy.id } })
  const receivedCount = receivedTypes(gatewayDevice).length
  const event = { Records: [removalOf(item)] } as unknown as DynamoDBStreamEvent
  expect(await followUp(event)).toEqual({ batchItemFailures: [] })
  await vi.waitFor(() => expect(receivedTypes(gatewayDevice)).toHaveLength(receivedCount + 1))
  // Expects no second message after a second delivery, because the gateway has not sent a heartbeat.
  await followUp(event)
  expect(receivedTypes(gatewayDevice)).toHaveLength(receivedCount + 1)
})

test("an authorization deleted by its gateway's own heartbeat does not notify the gateway", async () => {
  const { world, gateway, gatewayDevice } = await connectedWorld()
  await world.ask({ resource_id: world.resource.id })
  const [item] = await authorizationsOf(world.account.id, { by: 'policy', id: world.policy.id })
  if (!item) throw new Error('There is no authorization.')
  const renew = () => call(renewGateway, { method: 'PUT', token: gateway.token, params: { id: gateway.session.id } })
  await renew()
  const receivedCount = receivedTypes(gatewayDevice).length
  const { client_id } = item as unknown as { client_id: string }
  await table().send(
    new UpdateCommand({
      TableName: tableName(),
      Key: presenceKey(world.account.id, 'clients', client_id),
      UpdateExpression: 'SET lease_expires_at = :past',
      ExpressionAttributeValues: { ':past': 1 },
    }),
  )
  expect((await renew()).body.data.authorizations).toEqual([])
  await followUp({ Records: [removalOf(item)] } as unknown as DynamoDBStreamEvent)
  expect(receivedTypes(gatewayDevice)).toHaveLength(receivedCount)
})

test('ended sessions are notified and closed', async () => {
  const { world, member, stranger, gatewayDevice, from } = await connectedWorld()
  const body = { actor: { is_disabled: true } }
  await world.account.call(updateActor, { method: 'PATCH', params: { id: world.actor.id }, body })
  await followUpFrom(world.account.id, from)
  expect(await member.next('session_ended')).toEqual({ type: 'session_ended', reason: 'actor' })
  expect(await member.next('closing')).toMatchObject({ code: 4410 })
  await member.closed
  expect(receivedTypes(stranger)).toEqual([])
  expect(receivedTypes(gatewayDevice)).toEqual([])
})

test('notifications of many clients spread their requests over time (C5.3)', async () => {
  const { world, member, from } = await connectedWorld()
  const connection = (device_id: string): Connection => ({
    connection_id: `${device_id}==`,
    account_id: world.account.id,
    device: 'clients',
    device_id,
    session_id: crypto.randomUUID(),
    token_id: world.token.id,
    actor_id: world.actor.id,
    is_person: false,
    connected_at: Date.now() * 1_000,
  })
  await Promise.all(Array.from({ length: 149 }, () => keepConnection(connection(crypto.randomUUID()))))
  await world.account.call(updatePolicy, {
    method: 'PATCH',
    params: { id: world.policy.id },
    body: { policy: { is_disabled: true } },
  })
  await followUpFrom(world.account.id, from)
  expect(await member.next('resources')).toEqual({ type: 'resources', within_ms: 1_500 })
})

test('an unreachable platform fails no delivery', async () => {
  const { world, from } = await connectedWorld()
  const endpoint = process.env.LIVE_ENDPOINT
  process.env.LIVE_ENDPOINT = 'http://127.0.0.1:1/live'
  await world.account.call(deletePolicy, { method: 'DELETE', params: { id: world.policy.id } })
  await expect(followUpFrom(world.account.id, from)).resolves.toBeDefined()
  process.env.LIVE_ENDPOINT = endpoint
})
