import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import { accounts } from '#shared/domain/accounts/account.ts'
import { actors } from '#shared/domain/actors/actor.ts'
import { clientTokens } from '#shared/domain/client-tokens/client-token.ts'
import { clients } from '#shared/domain/clients/client.ts'
import { findPresence, presenceKey } from '#shared/domain/sessions/presence.ts'
import { type Connection, findConnection } from '#shared/live/connection.ts'
import { sessionState } from '#shared/live/take-message.ts'
import { entityKey, type Key } from '#shared/table/keys.ts'
import { table, tableName } from '#shared/table/table.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { openChannel } from '#test/support/access/live.ts'

let channel: Awaited<ReturnType<typeof openChannel>>
let connection: Connection
beforeAll(async () => {
  channel = await openChannel()
})
afterAll(() => channel.stop())
beforeEach(async () => {
  const { account, token, startSession } = await newAccessWorld()
  const { id, client } = (await startSession()).body.data
  await channel.connect(token.token, id)
  const presence = await findPresence(account.id, 'clients', client.id)
  connection = (await findConnection(presence?.connection_id ?? '')) as Connection
})

const set = (Key: Key, name: string, value: unknown) =>
  table().send(
    new UpdateCommand({
      TableName: tableName(),
      Key,
      UpdateExpression: 'SET #name = :value',
      ExpressionAttributeNames: { '#name': name },
      ExpressionAttributeValues: { ':value': value },
    }),
  )
const remove = (Key: Key) => table().send(new DeleteCommand({ TableName: tableName(), Key }))
const row = (name: string, id: string | null) => entityKey(connection.account_id, name, String(id))
const presenceItemKey = () => presenceKey(connection.account_id, connection.device, connection.device_id)

it('is live while everything it depends on is valid', async () => {
  expect(await sessionState(connection, 'exact')).toMatchObject({
    endReason: null,
    token: { expires_at: expect.any(String) },
  })
})

it.each<[string, () => Promise<unknown>, string]>([
  ['the account is disabled', () => set(row(accounts.name, connection.account_id), 'is_disabled', true), 'account'],
  ['the client is deleted', () => remove(row(clients.name, connection.device_id)), 'device'],
  ['the actor is disabled', () => set(row(actors.name, connection.actor_id), 'is_disabled', true), 'actor'],
  ['the actor is deleted', () => remove(row(actors.name, connection.actor_id)), 'actor'],
  ['the token is deleted', () => remove(row(clientTokens.name, connection.token_id)), 'token'],
  [
    'the token has expired',
    () => set(row(clientTokens.name, connection.token_id), 'expires_at', '2026-01-01T00:00:00.000000Z'),
    'token',
  ],
  ['the device has a newer session', () => set(presenceItemKey(), 'session_id', 'another'), 'replaced'],
  ['the lease has ended', () => set(presenceItemKey(), 'lease_expires_at', clock.now() - 1), 'lapsed'],
])('has ended when %s', async (_what, happens, reason) => {
  await happens()
  expect(await sessionState(connection, 'exact')).toEqual({ endReason: reason })
})
