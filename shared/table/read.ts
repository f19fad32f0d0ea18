import { BatchGetCommand, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { clock, jitter } from '../core/clock.ts'
import { notFound } from '../core/errors.ts'
import { slicesOf } from '../core/work/in-parallel.ts'
import { type Entity, itemRow, type Row } from './entity.ts'
import { address, noteRead } from './key-set.ts'
import { counterSort, entityKey, indexPartition, type Key, partition, type RowPointer, uniqueKey } from './keys.ts'
import { unpackLarge } from './large-attributes.ts'
import { table, tableName } from './table.ts'

type Attributes = Record<string, unknown>

export type StoredItem = Key & Attributes

/** Casts an item to the caller's type. The cast is safe, because a key holds only one kind of item. */
const castItem = <T extends Attributes>(item: Attributes): T => item as T

/** False if a partition key exceeds DynamoDB's limit, because a filter value can have any length (A7.3). */
const canExist = (pk: string): boolean => Buffer.byteLength(pk) <= 2048

/** Consistency of a read: `exact` is strongly consistent; `recent` is eventually consistent at half the price. */
export type Consistency = 'exact' | 'recent'

/** Projection expression for attributes. Placeholders allow names that are reserved words. */
export const projectionOf = (names: readonly string[]) => ({
  ProjectionExpression: names.map((name) => `#${name}`).join(', '),
  ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
})

export async function getItem<T extends Attributes = StoredItem>(
  key: Key,
  consistency: Consistency = 'exact',
): Promise<T | undefined> {
  if (!canExist(key.pk)) return undefined
  noteRead(key.pk, key.sk)
  const ConsistentRead = consistency === 'exact'
  const { Item } = await table().send(new GetCommand({ TableName: tableName(), Key: key, ConsistentRead }))
  return Item && unpackLarge(castItem<T>(Item))
}

type BatchRead = {
  itemsByKey: Map<string, Attributes>
  remainingKeys: Map<string, Key>
  consistency?: Consistency
  attributes?: readonly string[]
}

function readingOf(keys: Key[], options: Pick<BatchRead, 'consistency' | 'attributes'> = {}): BatchRead {
  for (const { pk, sk } of keys) noteRead(pk, sk)
  return {
    itemsByKey: new Map(),
    remainingKeys: new Map(keys.map((key) => [address(key), { pk: key.pk, sk: key.sk }])),
    ...options,
  }
}

/** Reads all remaining keys in concurrent requests of 100 keys. Items beyond the 16 MB of a response are left for the next attempt. */
async function readRemaining(reading: BatchRead, attempt: number): Promise<void> {
  if (attempt === 8) throw Object.assign(new Error('Keys left unread.'), { name: 'ThrottlingException' })
  if (attempt > 0) await clock.sleep(jitter(attempt, 20, 2_560))
  const { itemsByKey, remainingKeys, consistency = 'exact', attributes } = reading
  const request = {
    ConsistentRead: consistency === 'exact',
    ...(attributes && projectionOf(['pk', 'sk', ...attributes])),
  }
  const responses = slicesOf([...remainingKeys.values()], 100).map((Keys) =>
    table().send(new BatchGetCommand({ RequestItems: { [tableName()]: { Keys, ...request } } })),
  )
  remainingKeys.clear()
  for (const { Responses, UnprocessedKeys } of await Promise.all(responses)) {
    for (const item of Responses?.[tableName()] ?? []) itemsByKey.set(address(castItem<StoredItem>(item)), item)
    for (const key of UnprocessedKeys?.[tableName()]?.Keys ?? [])
      remainingKeys.set(address(castItem<Key>(key)), castItem(key))
  }
}

/** Returns items in the order of `keys`, undefined for a missing item. Large attributes stay compressed. */
export async function getStoredItems<T extends Attributes = StoredItem>(
  keys: Key[],
  options?: Pick<BatchRead, 'consistency' | 'attributes'>,
): Promise<(T | undefined)[]> {
  const reading = readingOf(keys, options)
  for (let attempt = 0; reading.remainingKeys.size > 0; attempt++) await readRemaining(reading, attempt)
  return keys.map((key) => reading.itemsByKey.get(address(key)) as T | undefined)
}

export const checkExistence = async (keys: Key[]): Promise<boolean[]> =>
  (await getStoredItems(keys, { attributes: [] })).map((item) => item !== undefined)

/** Reads items lazily, in batches that fit one response of DynamoDB, so that large items do not fill the memory. */
export async function* storedItems<T extends Attributes = StoredItem>(
  keys: Key[],
): AsyncGenerator<T | undefined, undefined> {
  const reading = readingOf(keys)
  for (const key of keys) {
    for (let attempt = 0; reading.remainingKeys.has(address(key)); attempt++) await readRemaining(reading, attempt)
    yield reading.itemsByKey.get(address(key)) as T | undefined
  }
}

/** Returns items in the order of `keys`, undefined for a missing item. */
export const getItems = async <T extends Attributes = StoredItem>(
  keys: Key[],
  consistency?: Consistency,
): Promise<(T | undefined)[]> =>
  (await getStoredItems<T>(keys, { consistency })).map((item) => item && unpackLarge(item))

export async function getRow<R extends Row>(entity: Entity<R>, account: string, id: string): Promise<R | null> {
  const item = await getItem(entityKey(account, entity.name, id))
  return item ? itemRow(entity, item) : null
}

/** Reads a row by its id. @throws ApiError 404 when it does not exist */
export async function existingRow<R extends Row>(entity: Entity<R>, account: string, id: string): Promise<R> {
  const row = await getRow(entity, account, id)
  if (!row) throw notFound()
  return row
}

export async function getRows<R extends Row>(entity: Entity<R>, account: string, ids: string[]): Promise<(R | null)[]> {
  const items = await getItems(ids.map((id) => entityKey(account, entity.name, id)))
  return items.map((item) => (item ? itemRow(entity, item) : null))
}

export async function findUnique<R extends Row>(
  entity: Entity<R>,
  account: string,
  name: string,
  value: string,
): Promise<R | null> {
  const unique = await getItem<RowPointer>(uniqueKey(account, name, value))
  const item = unique && (await getItem(unique.row))
  return item ? itemRow(entity, item) : null
}

/** Finds the rows with these unique values, in the order of the values; null for a missing row. */
export async function findAllUnique<R extends Row>(
  entity: Entity<R>,
  account: string,
  name: string,
  values: string[],
): Promise<(R | null)[]> {
  const uniques = await getItems<RowPointer>(values.map((value) => uniqueKey(account, name, value)))
  const items = (await getItems(uniques.flatMap((unique) => unique?.row ?? []))).values()
  return uniques.map((unique) => {
    const item = unique && items.next().value
    return item ? itemRow(entity, item) : null
  })
}

/** Range of at most `limit` items after the sort key `after`, including this key if `inclusive`. */
export type Range = {
  /** First and last sort key of the range, instead of `after`. */
  between?: readonly [first: string, last: string]
  after?: string
  inclusive?: boolean
  backward?: boolean
  /** Sort key of the last item of the page before. */
  start?: string
  limit?: number
  /** Items per request of a range without a limit. Pages smaller than DynamoDB's 1 MB leave less garbage in a long walk. */
  pageLength?: number
  /** Reads with eventual consistency at half the price. Writes of the last second may be missing. */
  relaxed?: boolean
  /** Returns only items whose attribute contains all texts. The units of all items of the range are used. */
  containing?: { attribute: string; texts: readonly string[] }
}

/** Returns the parts of a query that select and reduce its items. */
function selectionOf({ containing }: Range, attributes?: readonly string[]) {
  const { ExpressionAttributeNames: names, ...projection } = attributes ? projectionOf(attributes) : {}
  if (!containing) return { names, values: {}, expressions: projection }
  const texts = containing.texts.map((text, i) => [`:text${i}`, text] as const)
  return {
    names: { ...names, '#containing': containing.attribute },
    values: Object.fromEntries(texts),
    expressions: {
      ...projection,
      FilterExpression: texts.map(([name]) => `contains(#containing, ${name})`).join(' AND '),
    },
  }
}

function boundsOf({ between, after, inclusive = false, backward = false }: Range) {
  if (between)
    return { condition: 'sk BETWEEN :first AND :last', values: { ':first': between[0], ':last': between[1] } }
  const comparison = `${backward ? '<' : '>'}${inclusive && after !== undefined ? '=' : ''}`
  return { condition: `sk ${comparison} :bound`, values: { ':bound': after ?? (backward ? '~' : counterSort) } }
}

type QueryOptions = { start?: Attributes; limit?: number; attributes?: readonly string[]; measured?: boolean }

/** Sends one request of a query, without the row counter in its result. Large attributes stay compressed. */
async function sendQuery<T extends Attributes>(
  pk: string,
  range: Range,
  { start, limit, attributes, measured }: QueryOptions,
) {
  const { condition, values } = boundsOf(range)
  const selection = selectionOf(range, attributes)
  const page = await table().send(
    new QueryCommand({
      TableName: tableName(),
      ConsistentRead: !range.relaxed,
      ScanIndexForward: !range.backward,
      KeyConditionExpression: `pk = :pk AND ${condition}`,
      ExpressionAttributeNames: selection.names,
      ExpressionAttributeValues: { ':pk': pk, ...values, ...selection.values },
      ExclusiveStartKey: start,
      Limit: limit,
      ...(measured && { ReturnConsumedCapacity: 'TOTAL' }),
      ...selection.expressions,
    }),
  )
  const items = (page.Items ?? []).filter((item) => item.sk !== counterSort)
  return {
    items: items.map(castItem<T>),
    next: page.LastEvaluatedKey,
    units: page.ConsumedCapacity?.CapacityUnits ?? 0,
  }
}

/** Yields the pages of a partition in the order of the sort keys, without the row counter. Large attributes stay compressed. */
export async function* storedPages<T extends Attributes = StoredItem>(
  pk: string,
  range: Range,
  attributes?: readonly string[],
): AsyncGenerator<T[]> {
  if (!canExist(pk)) return
  noteRead(pk)
  const { limit, pageLength } = range
  let count = 0
  let start: Attributes | undefined = range.start === undefined ? undefined : { pk, sk: range.start }
  do {
    const query = { start, limit: limit === undefined ? pageLength : limit - count, attributes }
    const { items, next } = await sendQuery<T>(pk, range, query)
    count += items.length
    yield items
    start = next
  } while (start && (limit === undefined || count < limit))
}

/**
 * Reads one response of a query, of at most 1 MB, with the read units that it took. `isLast` is false if further items may exist in the
 * range, and `next` is then the sort key for `start` of the next page.
 */
export async function queryPage<T extends Attributes = StoredItem>(
  pk: string,
  range: Range,
  attributes?: readonly string[],
): Promise<{ items: T[]; isLast: boolean; next: string | null; units: number }> {
  if (!canExist(pk)) return { items: [], isLast: true, next: null, units: 0 }
  noteRead(pk)
  const start = range.start === undefined ? undefined : { pk, sk: range.start }
  const query = { start, limit: range.limit, attributes, measured: true }
  const { items, next, units } = await sendQuery<T>(pk, range, query)
  return {
    items: items.map((item) => unpackLarge(item)),
    isLast: next === undefined,
    next: next ? String(next.sk) : null,
    units,
  }
}

/** Yields the items of a range, or some of their attributes. Each item is decompressed when it is read. */
export async function* itemsOf<T extends Attributes = StoredItem>(
  pk: string,
  range: Range = {},
  attributes?: readonly (keyof NoInfer<T> & string)[],
): AsyncGenerator<T> {
  for await (const page of storedPages<T>(pk, range, attributes)) for (const item of page) yield unpackLarge(item)
}

/** Returns all items of a range (by default the whole partition), or some of their attributes. */
export async function queryItems<T extends Attributes = StoredItem>(
  pk: string,
  range: Range = {},
  attributes?: readonly (keyof NoInfer<T> & string)[],
): Promise<T[]> {
  const items: T[] = []
  for await (const page of storedPages<T>(pk, range, attributes)) items.push(...page.map((item) => unpackLarge(item)))
  return items
}

export const sortKeysOf = async (pk: string, range?: Range): Promise<string[]> =>
  (await queryItems(pk, range, ['sk'])).map(({ sk }) => sk)

/** Returns the rows with `value` in an indexed field, in the order of the index. */
export async function rowsBy<R extends Row>(
  entity: Entity<R>,
  account: string,
  field: string,
  value: string,
  range: Range = {},
): Promise<R[]> {
  const indexes = await queryItems<RowPointer>(indexPartition(account, entity.name, field, value), range)
  const items = await getItems(indexes.map(({ row }) => row))
  return items.flatMap((item) => (item ? [itemRow(entity, item)] : []))
}

/** Returns the rows that link a member to sets, such as the memberships of an actor, in the order of the sets' ids. */
export const rowsOfMember = async <R extends Row>(
  entity: Entity<R>,
  account: string,
  member: string,
  range?: Range,
): Promise<R[]> =>
  (await queryItems(partition(account, entity.name, member), range)).map((item) => itemRow(entity, item))
