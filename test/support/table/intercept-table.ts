import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { mockClient } from 'aws-sdk-client-mock'
import { type MockInstance, vi } from 'vitest'
import { table } from '#shared/table/table.ts'

type Send = DynamoDBDocumentClient['send']
export type TableCommand = Parameters<Send>[0]
type Handle = (command: TableCommand, send: Send) => Promise<unknown>

/** Handler of commands while no test intercepts them: each reaches the engine. */
const commands: { handle: Handle } = { handle: (command, send) => send(command) }
const mocked = new WeakSet<object>()

/**
 * Calls `handle` in place of the client of the table for each command. Its `send` reaches the engine. The answer is a spy:
 * `mockRestore`, or `vi.restoreAllMocks`, ends the interception, and another interception replaces this one.
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

/** The commands sent from now on, in their order, until the mocks are restored. */
export function recordCommands(): TableCommand[] {
  const sent: TableCommand[] = []
  interceptTable((command, send) => {
    sent.push(command)
    return send(command)
  })
  return sent
}
