import { vi } from 'vitest'
import { interceptTable } from '#test/support/table/intercept-table.ts'

const writing = /^(Put|Update|Delete|BatchWrite|BatchExecuteStatement|TransactWrite)/

/** Calls `write` in place of each write to the table or the archive, with a function that does it. */
export function interceptWrites(write: (send: () => Promise<unknown>) => Promise<unknown>): () => void {
  const { promises } = process.getBuiltinModule('node:fs')
  const writeFile = promises.writeFile.bind(promises)
  const { fetch } = globalThis
  // Requests to a bucket in memory.
  vi.stubGlobal('fetch', (...args: Parameters<typeof fetch>) =>
    args[1]?.method === 'PUT' ? write(() => fetch(...args)) : fetch(...args),
  )
  const spies = [
    interceptTable((command, send) =>
      writing.test(command.constructor.name) ? write(() => send(command)) : send(command),
    ),
    // The folder of the archive renames the file after this call.
    vi.spyOn(promises, 'writeFile').mockImplementation(async (...args) => void (await write(() => writeFile(...args)))),
  ]
  return () => {
    vi.stubGlobal('fetch', fetch)
    for (const spy of spies) spy.mockRestore()
  }
}

/** Kills the run at the write with this zero-based index: all later writes fail. */
export function killAt(index: number, isResponseLost: boolean): { reached: boolean; restore: () => void } {
  let writes = 0
  const state = { reached: false, restore: () => {} }
  state.restore = interceptWrites(async (send) => {
    if (writes++ < index) return send()
    if (!state.reached && isResponseLost) await send()
    state.reached = true
    throw new Error('killed')
  })
  return state
}
