import { BatchExecuteStatementCommand } from '@aws-sdk/lib-dynamodb'
import { interceptTable } from '#test/support/table/intercept-table.ts'

/** The statuses of the table's own faults: like the SDK, the product looks at the status of an unknown name. */
const statuses: Record<string, number> = { InternalServerError: 500, ServiceUnavailable: 503 }

/** Lets the table fail some commands with an error of this name, until the mocks are restored. */
export function failTable(name: string, matches: (command: object) => boolean, before: () => void = () => {}): void {
  interceptTable(async (command, send) => {
    if (!matches(command)) return send(command)
    before()
    const $metadata = { httpStatusCode: statuses[name] ?? 400 }
    throw Object.assign(new Error(`arn:aws:dynamodb:::table/secret ${name}`), { name, $metadata })
  })
}

/** Does this command insert an item whose partition, sort key or other text holds this? */
export const inserts =
  (text: string) =>
  (command: object): boolean =>
    command instanceof BatchExecuteStatementCommand && JSON.stringify(command.input.Statements).includes(text)

const writing = /^(Put|Update|Delete|BatchWrite|BatchExecuteStatement|TransactWrite)/

/**
 * Lets so many writes through, and none of what comes after: the process is gone. With `unheard` the last of them is
 * done, but its answer is lost.
 */
export function crashAfter(writes: number, { unheard = false } = {}): void {
  let done = 0
  interceptTable(async (command, send) => {
    const gone = () => Object.assign(new Error('The process is gone.'), { name: 'TimeoutError' })
    const isWrite = writing.test(command.constructor.name)
    if (done > writes || (done === writes && isWrite)) {
      done = writes + 1
      throw gone()
    }
    const answer = await send(command)
    if (isWrite && ++done === writes && unheard) {
      done = writes + 1
      throw gone()
    }
    return answer
  })
}

/** Lets something happen before the request to the table of this number, once. */
export function beforeRequest(at: number, happen: () => Promise<void>): { happened: boolean } {
  const state = { happened: false }
  let left = at
  interceptTable(async (command, send) => {
    if (left-- === 0) {
      state.happened = true
      await happen()
    }
    return send(command)
  })
  return state
}
