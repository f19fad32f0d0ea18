import { vi } from 'vitest'
import { table } from '#shared/table/client.ts'
import { BatchExecuteStatementCommand } from '#shared/table/commands.ts'

/** Lets the table fail some commands with an error of this name, until the mocks are restored. */
export function failTable(name: string, matches: (command: object) => boolean, before: () => void = () => {}): void {
  const send = table().send.bind(table())
  vi.spyOn(table(), 'send').mockImplementation((async (command: object, ...rest: []) => {
    if (!matches(command)) return send(command as never, ...rest)
    before()
    throw Object.assign(new Error(`arn:aws:dynamodb:::table/secret ${name}`), { name })
  }) as never)
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
  const send = table().send.bind(table())
  let done = 0
  vi.spyOn(table(), 'send').mockImplementation((async (command: object, ...rest: []) => {
    const gone = () => Object.assign(new Error('The process is gone.'), { name: 'TimeoutError' })
    const isWrite = writing.test(command.constructor.name)
    if (done > writes || (done === writes && isWrite)) {
      done = writes + 1
      throw gone()
    }
    const answer = await send(command as never, ...rest)
    if (isWrite && ++done === writes && unheard) {
      done = writes + 1
      throw gone()
    }
    return answer
  }) as never)
}

/** Lets something happen before the request to the table of this number, once. */
export function beforeRequest(at: number, happen: () => Promise<void>): { happened: boolean } {
  const state = { happened: false }
  const send = table().send.bind(table())
  let left = at
  vi.spyOn(table(), 'send').mockImplementation((async (command: object, ...rest: []) => {
    if (left-- === 0) {
      state.happened = true
      await happen()
    }
    return send(command as never, ...rest)
  }) as never)
  return state
}
