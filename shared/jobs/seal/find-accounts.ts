import { sealedAccountItem } from '../../seal/sealed-accounts.ts'
import { table, tableName } from '../../table/client.ts'
import { PutCommand, ScanCommand } from '../../table/commands.ts'
import { insertAll } from '../../table/insert-all.ts'
import type { Key } from '../../table/keys.ts'
import { getItem } from '../../table/read.ts'

/** How far the one search has come for accounts that are older than the sealing. */
const searchKey: Key = { pk: 'service#seal', sk: 'search' }

type Search = { done?: boolean; cursor?: Record<string, unknown> }

const isHead = '#head'

/**
 * Finds the accounts that were there before their logs were sealed: the table is looked through once, as far as time
 * allows, and not again. Newer accounts announce themselves by their first change.
 */
export async function findAccounts(deadline: number): Promise<void> {
  const search = await getItem<Search & Key>(searchKey)
  let { done = false, cursor } = search ?? {}
  while (!done && Date.now() < deadline) {
    const { Items = [], LastEvaluatedKey } = await table().send(
      new ScanCommand({
        TableName: tableName(),
        ExclusiveStartKey: cursor,
        FilterExpression: 'sk = :head',
        ExpressionAttributeValues: { ':head': 'head' },
        ProjectionExpression: 'pk, sk',
      }),
    )
    const found = (Items as Key[]).filter(({ pk }) => pk.endsWith(isHead)).map(({ pk }) => pk.slice(0, -isHead.length))
    await insertAll(found.map(sealedAccountItem))
    cursor = LastEvaluatedKey
    done = cursor === undefined
    const Item = { ...searchKey, kind: 'seal_search', done, ...(cursor && { cursor }) }
    await table().send(new PutCommand({ TableName: tableName(), Item }))
  }
}
