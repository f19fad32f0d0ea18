import { vi } from 'vitest'
import { table } from '#shared/table/client.ts'
import { TransactWriteCommand } from '#shared/table/commands.ts'
import type { Item } from '#shared/table/keys.ts'

/** Every state of every row that transactions have stored from now on, by its key, oldest first; the mocks restored end it. */
export function recordVersions(): Map<string, Item[]> {
  const versions = new Map<string, Item[]>()
  const send = table().send.bind(table())
  vi.spyOn(table(), 'send').mockImplementation((async (command: object, ...rest: []) => {
    const answer = await send(command as never, ...rest)
    if (command instanceof TransactWriteCommand) {
      for (const { Put } of command.input.TransactItems ?? []) {
        const item = Put?.Item as Item | undefined
        if (item?.kind !== 'entity') continue
        const address = `${item.pk} ${item.sk}`
        versions.set(address, [...(versions.get(address) ?? []), item])
      }
    }
    return answer
  }) as never)
  return versions
}
