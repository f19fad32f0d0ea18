import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { Key } from './keys.ts'
import { ifMet } from './put-item.ts'
import { table, tableName } from './table.ts'

type ItemChange = {
  set?: Record<string, unknown>
  remove?: readonly string[]
  /** Condition, with values under the names of `values` and of what is set. */
  when?: string
  values?: Record<string, unknown>
  /** Awaits the write, such as `changing`. */
  through?: <T>(write: Promise<T>) => Promise<T>
}

/** Changes attributes of an item; answers it as it was before, or null where the condition did not hold. */
export function changeItem<T extends object>(
  { pk, sk }: Key,
  { set = {}, remove = [], when, values = {}, through = (write) => write }: ItemChange,
): Promise<T | null> {
  const names = Object.keys(set)
  const change = new UpdateCommand({
    TableName: tableName(),
    Key: { pk, sk },
    UpdateExpression: [
      names.length > 0 && `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
      remove.length > 0 && `REMOVE ${remove.join(', ')}`,
    ]
      .filter(Boolean)
      .join(' '),
    ConditionExpression: when,
    ...(names.length > 0 && { ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])) }),
    ExpressionAttributeValues: Object.fromEntries(
      Object.entries({ ...set, ...values }).map(([name, value]) => [`:${name}`, value]),
    ),
    ReturnValues: 'ALL_OLD',
  })
  // At a key nothing but its own kind of item is ever written.
  return ifMet(through(table().send(change)).then(({ Attributes = {} }) => Attributes as T))
}
