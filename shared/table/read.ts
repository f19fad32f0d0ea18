import { setTimeout as sleep } from 'node:timers/promises'
import { BatchGetCommand, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { ApiError } from '../core/errors.ts'
import { table, tableName } from './client.ts'
import { type Entity, itemRow, type Row } from './entity.ts'
import { counterSort, edgePartition, entityKey, guardKey, type Key } from './keys.ts'
import { unpackLarge } from './large-attributes.ts'

type Attributes = Record<string, unknown>

const address = (key: Key) => `${key.pk}\n${key.sk}`

/** The table takes no longer partition key, so nothing lies under one: a filter can ask for any text (A7.3). */
const canExist = (pk: string): boolean => Buffer.byteLength(pk) <= 2048

/** One item, read consistently. */
export async function getItem(key: Key): Promise<Attributes | undefined> {
  if (!canExist(key.pk)) return undefined
  const { Item } = await table().send(new GetCommand({ TableName: tableName(), Key: key, ConsistentRead: true }))
  return Item && unpackLarge(Item)
}

async function batchGet(keys: Key[], found: Map<string, Attributes>): Promise<void> {
  let wanted: Record<string, unknown>[] = keys
  for (let attempt = 0; wanted.length > 0; attempt++) {
    if (attempt === 8) throw new ApiError('unavailable')
    if (attempt > 0) await sleep(Math.random() * 20 * 2 ** attempt)
    const answer = await table().send(
      new BatchGetCommand({ RequestItems: { [tableName()]: { Keys: wanted, ConsistentRead: true } } }),
    )
    for (const item of answer.Responses?.[tableName()] ?? []) found.set(address(item as Key), unpackLarge(item))
    wanted = answer.UnprocessedKeys?.[tableName()]?.Keys ?? []
  }
}

/** Items in the order of their keys, undefined where there is none; consistent, 100 keys a round trip. */
export async function getItems(keys: Key[]): Promise<(Attributes | undefined)[]> {
  const found = new Map<string, Attributes>()
  const distinct = [...new Map(keys.map((key) => [address(key), { pk: key.pk, sk: key.sk }])).values()]
  const chunks = Array.from({ length: Math.ceil(distinct.length / 100) }, (_, i) =>
    distinct.slice(i * 100, i * 100 + 100),
  )
  await Promise.all(chunks.map((chunk) => batchGet(chunk, found)))
  return keys.map((key) => found.get(address(key)))
}

export async function getRow<R extends Row>(entity: Entity<R>, account: string, id: string): Promise<R | null> {
  const item = await getItem(entityKey(account, entity.name, id))
  return item ? itemRow(entity, item) : null
}

export async function getRows<R extends Row>(entity: Entity<R>, account: string, ids: string[]): Promise<(R | null)[]> {
  const items = await getItems(ids.map((id) => entityKey(account, entity.name, id)))
  return items.map((item) => (item ? itemRow(entity, item) : null))
}

/** The row that holds a unique value. */
export async function findUnique<R extends Row>(
  entity: Entity<R>,
  account: string,
  name: string,
  value: string,
): Promise<R | null> {
  const guard = await getItem(guardKey(account, name, value))
  const item = guard && (await getItem(guard.row as Key))
  return item ? itemRow(entity, item) : null
}

/** Rows beyond the sort key `after` (exclusive), at most `limit` of them. */
export type Range = { after?: string; backward?: boolean; limit?: number }

/** Items of a partition in sort key order, consistently; without a limit all of them. Row counters are left out. */
export async function queryItems(pk: string, { after, backward = false, limit }: Range = {}): Promise<Attributes[]> {
  if (!canExist(pk)) return []
  const items: Attributes[] = []
  let start: Attributes | undefined
  do {
    const page = await table().send(
      new QueryCommand({
        TableName: tableName(),
        ConsistentRead: true,
        ScanIndexForward: !backward,
        KeyConditionExpression: backward ? 'pk = :pk AND sk < :bound' : 'pk = :pk AND sk > :bound',
        ExpressionAttributeValues: { ':pk': pk, ':bound': after ?? (backward ? '~' : counterSort) },
        ExclusiveStartKey: start,
        Limit: limit === undefined ? undefined : limit - items.length,
      }),
    )
    items.push(...(page.Items ?? []).filter((item) => item.sk !== counterSort).map(unpackLarge))
    start = page.LastEvaluatedKey
  } while (start && (limit === undefined || items.length < limit))
  return items
}

/** All rows that have `value` in an edge field, in the edge's order. */
export async function rowsBy<R extends Row>(
  entity: Entity<R>,
  account: string,
  field: string,
  value: string,
  range: Range = {},
): Promise<R[]> {
  const edges = await queryItems(edgePartition(account, entity.name, field, value), range)
  const items = await getItems(edges.map((edge) => edge.row as Key))
  return items.flatMap((item) => (item ? [itemRow(entity, item)] : []))
}
