import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { connectionsOf } from '#shared/domain/connections/connection.ts'
import { presenceKey } from '#shared/domain/presence/presence.ts'
import { table, tableName } from '#shared/table/client.ts'
import { DeleteCommand, UpdateCommand } from '#shared/table/commands.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { openChannel } from '#test/support/access/live.ts'

let channel: Awaited<ReturnType<typeof openChannel>>
beforeAll(async () => {
  channel = await openChannel()
})
afterAll(() => channel.stop())

it('opens no connection that a newer one has replaced while it ended the one before', async () => {
  const { account, token, startSession } = await newAccessWorld()
  const { id, client } = (await startSession()).body.data
  await channel.connect(token.token, id)
  const send = table().send.bind(table())
  let replaced = false
  vi.spyOn(table(), 'send').mockImplementation(async (command) => {
    if (!replaced && command instanceof DeleteCommand) {
      replaced = true
      const newer = { UpdateExpression: 'SET connection_id = :newer', ExpressionAttributeValues: { ':newer': 'newer' } }
      await send(
        new UpdateCommand({ TableName: tableName(), Key: presenceKey(account.id, 'clients', client.id), ...newer }),
      )
    }
    return send(command)
  })
  await expect(channel.connect(token.token, id)).rejects.toMatchObject({ refused: { status: 429 } })
  vi.restoreAllMocks()
  expect(replaced).toBe(true)
  expect(await connectionsOf(account.id, 'clients')).toEqual([])
})
