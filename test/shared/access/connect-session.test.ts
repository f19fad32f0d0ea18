import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { presenceKey } from '#shared/domain/sessions/presence.ts'
import { connectionsOf } from '#shared/live/connection.ts'
import { tableName } from '#shared/table/table.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { openChannel } from '#test/support/access/live.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'

let channel: Awaited<ReturnType<typeof openChannel>>
beforeAll(async () => {
  channel = await openChannel()
})
afterAll(() => channel.stop())

it('opens no connection that a newer one replaced while the previous one was closed', async () => {
  const { account, token, startSession } = await newAccessWorld()
  const { id, client } = (await startSession()).body.data
  await channel.connect(token.token, id)
  let replaced = false
  interceptTable(async (command, send) => {
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
