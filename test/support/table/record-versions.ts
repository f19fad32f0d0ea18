import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import type { Item } from '#shared/table/keys.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'

/** Every state of every row that transactions have stored from now on, by its key, oldest first; the mocks restored end it. */
export function recordVersions(): Map<string, Item[]> {
  const versions = new Map<string, Item[]>()
  interceptTable(async (command, send) => {
    const answer = await send(command)
    if (command instanceof TransactWriteCommand) {
      for (const { Put } of command.input.TransactItems ?? []) {
        const item = Put?.Item as Item | undefined
        if (item?.kind !== 'entity') continue
        const address = `${item.pk} ${item.sk}`
        versions.set(address, [...(versions.get(address) ?? []), item])
      }
    }
    return answer
  })
  return versions
}
