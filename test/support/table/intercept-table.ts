import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { mockClient } from 'aws-sdk-client-mock'
import { type MockInstance, vi } from 'vitest'
import { table } from '#shared/table/table.ts'

type Send = DynamoDBDocumentClient['send']
export type TableCommand = Parameters<Send>[0]
type Handle = (command: TableCommand, send: Send) => Promise<unknown>

/** Current command handler. The default sends each command to the engine. */
const commands: { handle: Handle } = { handle: (command, send) => send(command) }
const mocked = new WeakSet<object>()

/**
 * Calls `handle` for each command of the table's client, with a `send` that reaches the engine. A second interception replaces the first.
 * Calling `mockRestore` on the returned spy, or `vi.restoreAllMocks`, stops the interception.
 */
export function interceptTable(handle: Handle): MockInstance<Handle> {
  const client = table()
  if (!mocked.has(client)) {
    const send = client.send.bind(client)
    const stub: { callsFake(handle: (command: TableCommand) => Promise<unknown>): void } = mockClient(client).send
    stub.callsFake((command) => commands.handle(command, send))
    mocked.add(client)
  }
  return vi.spyOn(commands, 'handle').mockImplementation(handle)
}

/** Records the sent commands in order, until the mocks are restored. */
export function recordCommands(): TableCommand[] {
  const sent: TableCommand[] = []
  interceptTable((command, send) => {
    sent.push(command)
    return send(command)
  })
  return sent
}
