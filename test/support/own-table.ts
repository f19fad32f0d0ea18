import { randomUUID } from 'node:crypto'
import { CreateTableCommand, DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { table } from '#shared/table/client.ts'
import { ScanCommand } from '#shared/table/commands.ts'

type Items = Record<string, unknown>[]

/** A table of this test file alone, for what looks at every item there is; `end` gives the shared one back. */
export async function useOwnTable() {
  const [shared, own] = [process.env.TABLE_NAME as string, `own-${randomUUID()}`]
  const engine = new DynamoDBClient({})
  await engine.send(
    new CreateTableCommand({
      TableName: own,
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
  process.env.TABLE_NAME = own
  return {
    /** Every item of the table, in the order of their keys. */
    async items(): Promise<Items> {
      const items: Items = []
      let start: Record<string, unknown> | undefined
      do {
        const page = await table().send(
          new ScanCommand({ TableName: own, ConsistentRead: true, ExclusiveStartKey: start }),
        )
        items.push(...(page.Items ?? []))
        start = page.LastEvaluatedKey
      } while (start)
      return items.sort((a, b) => (`${a.pk} ${a.sk}` < `${b.pk} ${b.sk}` ? -1 : 1))
    },
    async end() {
      process.env.TABLE_NAME = shared
      await engine.send(new DeleteTableCommand({ TableName: own }))
      engine.destroy()
    },
  }
}
