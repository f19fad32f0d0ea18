import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { takeMessage } from '#shared/access/live/take-message.ts'
import { findPresence, presenceKey } from '#shared/domain/presence/presence.ts'
import { table, tableName } from '#shared/table/client.ts'
import { UpdateCommand } from '#shared/table/commands.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { openChannel } from '#test/support/access/live.ts'

let channel: Awaited<ReturnType<typeof openChannel>>
beforeAll(async () => {
  channel = await openChannel()
})
afterAll(() => channel.stop())

it('renews nothing for a connection that is replaced between its look and its write', async () => {
  const { account, token, startSession } = await newAccessWorld()
  const { id, client } = (await startSession()).body.data
  await channel.connect(token.token, id)
  const Key = presenceKey(account.id, 'clients', client.id)
  const before = await findPresence(account.id, 'clients', client.id)
  const send = table().send.bind(table())
  const newer = { UpdateExpression: 'SET connection_id = :newer', ExpressionAttributeValues: { ':newer': 'newer' } }
  let replaced = false
  vi.spyOn(table(), 'send').mockImplementation(async (command) => {
    if (!replaced && command instanceof UpdateCommand) {
      replaced = true
      await send(new UpdateCommand({ TableName: tableName(), Key, ...newer }))
    }
    return send(command)
  })
  await takeMessage(before?.connection_id ?? '', '{"type":"keepalive"}')
  vi.restoreAllMocks()
  expect(replaced).toBe(true)
  expect(await findPresence(account.id, 'clients', client.id)).toEqual({ ...before, connection_id: 'newer' })
})
