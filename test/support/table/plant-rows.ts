import { BatchWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { memberChanges } from '#shared/commit/staged-members.ts'
import type { StagedRow } from '#shared/commit/staged-row.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { uuidV7 } from '#shared/core/ids.ts'
import {
  countedPartitions,
  type Entity,
  indexItems,
  type Row,
  type RowFields,
  rowItem,
  rowKey,
} from '#shared/table/entity.ts'
import { accountVersionKey, counterSort, type Item } from '#shared/table/keys.ts'
import { packLarge } from '#shared/table/large-attributes.ts'
import { changeChunks, chunkItem, readChunks, splitChunk } from '#shared/table/member-ids.ts'
import { table, tableName } from '#shared/table/table.ts'

/**
 * Writes many rows into the table as commits store them: rows, index items and counters, but no commit records.
 * @param indexes names of the indexes that the test queries, by default all
 */
export async function plantRows<R extends Row>(
  accountId: string,
  whole: Entity<R>,
  count: number,
  fields: (index: number) => RowFields<R>,
  indexes = Object.keys(whole.indexes),
): Promise<R[]> {
  const entity = {
    ...whole,
    indexes: Object.fromEntries(Object.entries(whole.indexes).filter(([name]) => indexes.includes(name))),
  }
  const counters = new Map<string, number>()
  const counts = new Map<string, number>()
  const rows = Array.from({ length: count }, (_, i) => {
    const now = clock.now()
    const at = timestamp(now)
    return { ...fields(i), id: uuidV7(now), inserted_at: at, updated_at: at } as unknown as R
  })
  const items = rows.flatMap((row) => {
    for (const pk of countedPartitions(entity, accountId, row)) counters.set(pk, (counters.get(pk) ?? 0) + 1)
    for (const name of [entity.name, ...entity.counters(row)]) counts.set(name, (counts.get(name) ?? 0) + 1)
    return [packLarge(rowItem(entity, accountId, row)), ...indexItems(entity, accountId, row)]
  })
  await plantItems(items)
  const links = rows.map((row) => ({ entity, key: rowKey(entity, accountId, row), before: null, after: row }))
  for (const [pk, change] of memberChanges(accountId, links as unknown as StagedRow[])) {
    const chunks = changeChunks(pk, await readChunks(pk), change)
    await plantItems(chunks.flatMap((chunk) => splitChunk(chunk, chunk.ids.length).map(chunkItem)))
  }
  for (const [pk, amount] of counters) await add({ pk, sk: counterSort }, '#rows', { '#rows': 'rows' }, amount)
  for (const [name, amount] of counts)
    await add(accountVersionKey(accountId), 'counts.#name', { '#name': name }, amount)
  return rows
}

export const plantIds = async <R extends Row>(...planted: Parameters<typeof plantRows<R>>): Promise<string[]> =>
  (await plantRows(...planted)).map(({ id }) => id)

/** Writes items through the table's API instead of into the database file. */
export async function plantItems(items: Item[]): Promise<void> {
  for (let at = 0; at < items.length; at += 100) {
    const batches = [0, 25, 50, 75]
      .map((from) => items.slice(at + from, at + from + 25))
      .filter(({ length }) => length > 0)
    await Promise.all(batches.map(writeBatch))
  }
}

const writeBatch = (items: Item[]) => {
  const puts = items.map((Item) => ({ PutRequest: { Item } }))
  return table().send(new BatchWriteCommand({ RequestItems: { [tableName()]: puts } }))
}

const add = (Key: Record<string, string>, path: string, names: Record<string, string>, amount: number) =>
  table().send(
    new UpdateCommand({
      TableName: tableName(),
      Key,
      UpdateExpression: `SET ${path} = if_not_exists(${path}, :zero) + :amount`,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: { ':amount': amount, ':zero': 0 },
    }),
  )
