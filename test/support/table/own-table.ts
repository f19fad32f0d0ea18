import { randomUUID } from 'node:crypto'
import { CreateTableCommand, DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DeleteCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { table } from '#shared/table/table.ts'

type Items = Record<string, unknown>[]

/** Creates a separate table for a test file that reads every item. `end` switches back to the shared table. */
export async function useOwnTable() {
  const [shared, ownName] = [process.env.TABLE_NAME as string, `own-${randomUUID()}`]
  const engine = new DynamoDBClient({})
  await engine.send(
    new CreateTableCommand({
      TableName: ownName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
    }),
  )
  process.env.TABLE_NAME = ownName
  const keyOf = ({ pk, sk }: Items[number]) => `${pk} ${sk}`
  /** Reads all items in the table, or all items of one account, in key order. */
  async function items(account = ''): Promise<Items> {
    const found: Items = []
    let start: Record<string, unknown> | undefined
    do {
      const page = await table().send(
        new ScanCommand({ TableName: ownName, ConsistentRead: true, ExclusiveStartKey: start }),
      )
      found.push(...(page.Items ?? []))
      start = page.LastEvaluatedKey
    } while (start)
    return found.filter(({ pk }) => String(pk).startsWith(account)).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  }
  return {
    items,
    /** Restores an account's items to those in `at`, and deletes all others. */
    async restore(account: string, at: Items): Promise<void> {
      const keys = new Set(at.map(keyOf))
      for (const item of await items(account)) {
        const { pk, sk } = item
        if (!keys.has(keyOf(item))) await table().send(new DeleteCommand({ TableName: ownName, Key: { pk, sk } }))
      }
      for (const Item of at) await table().send(new PutCommand({ TableName: ownName, Item }))
    },
    async end() {
      process.env.TABLE_NAME = shared
      await engine.send(new DeleteTableCommand({ TableName: ownName }))
      engine.destroy()
    },
  }
}
