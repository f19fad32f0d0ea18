import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import type { Item } from '#shared/table/keys.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'

/**
 * Records every version of the rows that transactions store, until the mocks are restored. The versions are keyed by row key, oldest first.
 */
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
