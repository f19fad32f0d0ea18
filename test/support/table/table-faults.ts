import { BatchExecuteStatementCommand } from '@aws-sdk/lib-dynamodb'
import { interceptTable } from '#test/support/table/intercept-table.ts'
import { asOtherProcess } from './other-process.ts'

/** HTTP statuses of the table's server errors. For errors with an unknown name, the service and the SDK check the status. */
const statuses: Record<string, number> = { InternalServerError: 500, ServiceUnavailable: 503 }

/** Fails matching commands with an error of this name until the mocks are restored. */
export function failTable(name: string, matches: (command: object) => boolean, before: () => void = () => {}): void {
  interceptTable(async (command, send) => {
    if (!matches(command)) return send(command)
    before()
    const $metadata = { httpStatusCode: statuses[name] ?? 400 }
    throw Object.assign(new Error(`arn:aws:dynamodb:::table/secret ${name}`), { name, $metadata })
  })
}

/** Returns a matcher for commands that insert an item with this string in its keys or attributes. */
export const inserts =
  (text: string) =>
  (command: object): boolean =>
    command instanceof BatchExecuteStatementCommand && JSON.stringify(command.input.Statements).includes(text)

const writing = /^(Put|Update|Delete|BatchWrite|BatchExecuteStatement|TransactWrite)/

/**
 * Simulates a process that dies after `writes` writes: all later commands fail.
 * @param isResponseLost the last write succeeds, but its response is lost
 */
export function crashAfter(writes: number, { isResponseLost = false } = {}): void {
  let done = 0
  interceptTable(async (command, send) => {
    const timeout = () => Object.assign(new Error('The process is gone.'), { name: 'TimeoutError' })
    const isWrite = writing.test(command.constructor.name)
    if (done > writes || (done === writes && isWrite)) {
      done = writes + 1
      throw timeout()
    }
    const answer = await send(command)
    if (isWrite && ++done === writes && isResponseLost) {
      done = writes + 1
      throw timeout()
    }
    return answer
  })
}

/** Runs `happen` once, before the table request at the zero-based index `at`. */
export function beforeRequest(at: number, happen: () => Promise<void>): { happened: boolean } {
  const state = { happened: false }
  let left = at
  interceptTable(async (command, send) => {
    if (left-- === 0) {
      state.happened = true
      await asOtherProcess(happen)
    }
    return send(command)
  })
  return state
}
