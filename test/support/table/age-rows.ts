import { isDeepStrictEqual } from 'node:util'
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import type { Entity } from '#shared/table/entity.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'

type Item = Record<string, unknown>

/** Returns a row as an earlier version of the service stored it. Omits optional fields that have their default value. */
function withoutDefaults(item: Item, { defaults }: Entity): Item {
  const optional = defaults as Item
  const stored = Object.entries(item).filter(
    ([name, value]) => name !== 'version' && !(name in optional && isDeepStrictEqual(value, optional[name])),
  )
  return Object.fromEntries(stored)
}

/** Stores rows as an earlier version of the service did, until the mocks are restored. `names` collects the names of their entities. */
export function ageRows(entities: Map<string, Entity>): { names: Set<string> } {
  const names = new Set<string>()
  interceptTable(async (command, send) => {
    if (command instanceof TransactWriteCommand) {
      for (const { Put } of command.input.TransactItems ?? []) {
        if (Put?.Item?.kind !== 'entity') continue
        const entity = entities.get(String(Put.Item.pk).split('#')[1] ?? '')
        if (!entity) throw new Error(`${Put.Item.pk} is a row of no entity.`)
        names.add(entity.name)
        Put.Item = withoutDefaults(Put.Item, entity)
      }
    }
    return send(command)
  })
  return { names }
}
