import { sealedAccountItem } from '../../seal/log/sealed-accounts.ts'
import { table, tableName } from '../../table/client.ts'
import { PutCommand } from '../../table/commands.ts'
import { insertAll } from '../../table/insert-all.ts'
import type { Key } from '../../table/keys.ts'
import { getItem } from '../../table/read.ts'
import { walkTable } from '../../table/walk-table.ts'

/** How far the one search has come for accounts that are older than the sealing. */
export const searchKey: Key = { pk: 'service#seal', sk: 'search' }

type Search = { done?: boolean; cursor?: Key }

const isHead = '#head'

/**
 * Finds the accounts that were there before their logs were sealed: the table is looked through once, as far as time
 * allows, and not again. Newer accounts announce themselves by their first change.
 */
export async function findAccounts(deadline: number): Promise<void> {
  const search = await getItem<Search & Key>(searchKey)
  const hasTime = () => Date.now() < deadline
  if (search?.done || !hasTime()) return
  const pages = walkTable<Key>({
    from: search?.cursor ?? null,
    hasTime,
    FilterExpression: 'sk = :head',
    ExpressionAttributeValues: { ':head': 'head' },
    ProjectionExpression: 'pk, sk',
  })
  for await (const { items, next } of pages) {
    const found = items.filter(({ pk }) => pk.endsWith(isHead)).map(({ pk }) => pk.slice(0, -isHead.length))
    await insertAll(found.map(sealedAccountItem))
    const Item = { ...searchKey, kind: 'seal_search', done: next === null, ...(next && { cursor: next }) }
    await table().send(new PutCommand({ TableName: tableName(), Item }))
  }
}
