import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { Key } from './keys.ts'
import { ifMet } from './put-item.ts'
import { table, tableName } from './table.ts'

type ItemChange = {
  set?: Record<string, unknown>
  /** Values of attributes that the item does not have yet. */
  initial?: Record<string, unknown>
  /** Numbers to add to attributes. A missing attribute counts as 0. */
  add?: Record<string, number>
  remove?: readonly string[]
  /** Condition expression. Its `:name` placeholders are resolved from `values` and `set`. */
  when?: string
  values?: Record<string, unknown>
  /** Wraps the write, for example with `noteWrite`. */
  wrap?: <T>(write: Promise<T>) => Promise<T>
}

/** Updates attributes of an item. Returns the item before the update, or null when the condition was not met. */
export function changeItem<T extends object>(
  { pk, sk }: Key,
  { set = {}, initial = {}, add = {}, remove = [], when, values = {}, wrap = (write) => write }: ItemChange,
): Promise<T | null> {
  const setters = [
    ...Object.keys(set).map((name) => `#${name} = :${name}`),
    ...Object.keys(initial).map((name) => `#${name} = if_not_exists(#${name}, :${name})`),
  ]
  const additions = Object.keys(add).map((name) => `#${name} :${name}`)
  const attributes = { ...set, ...initial, ...add }
  const names = Object.keys(attributes)
  const change = new UpdateCommand({
    TableName: tableName(),
    Key: { pk, sk },
    UpdateExpression: [
      setters.length > 0 && `SET ${setters.join(', ')}`,
      additions.length > 0 && `ADD ${additions.join(', ')}`,
      remove.length > 0 && `REMOVE ${remove.join(', ')}`,
    ]
      .filter(Boolean)
      .join(' '),
    ConditionExpression: when,
    ...(names.length > 0 && { ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])) }),
    ExpressionAttributeValues: Object.fromEntries(
      Object.entries({ ...attributes, ...values }).map(([name, value]) => [`:${name}`, value]),
    ),
    ReturnValues: 'ALL_OLD',
  })
  // Casts the attributes to the caller's type. The cast is safe, because a key holds only one kind of item.
  return ifMet(wrap(table().send(change)).then(({ Attributes = {} }) => Attributes as T))
}
