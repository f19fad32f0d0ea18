import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { findPresence, presenceKey } from '#shared/domain/sessions/presence.ts'
import { takeMessage } from '#shared/live/take-message.ts'
import { tableName } from '#shared/table/table.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { openChannel } from '#test/support/access/live.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'

let channel: Awaited<ReturnType<typeof openChannel>>
beforeAll(async () => {
  channel = await openChannel()
})
afterAll(() => channel.stop())

it('renews no lease for a connection that is replaced between the read and the write', async () => {
  const { account, token, startSession } = await newAccessWorld()
  const { id, client } = (await startSession()).body.data
  await channel.connect(token.token, id)
  const Key = presenceKey(account.id, 'clients', client.id)
  const before = await findPresence(account.id, 'clients', client.id)
  const newer = { UpdateExpression: 'SET connection_id = :newer', ExpressionAttributeValues: { ':newer': 'newer' } }
  let replaced = false
  interceptTable(async (command, send) => {
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
