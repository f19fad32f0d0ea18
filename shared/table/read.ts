import { jitter, waiting } from '../core/work/waiting.ts'
import { table, tableName } from './client.ts'
import { BatchGetCommand, GetCommand, PassingQueryCommand, QueryCommand } from './commands.ts'
import { type Entity, itemRow, type Row } from './entity.ts'
import { counterSort, edgePartition, entityKey, guardKey, type Key, type RowPointer } from './keys.ts'
import { unpackLarge } from './large-attributes.ts'
import { projectionOf } from './projection.ts'

type Attributes = Record<string, unknown>

/** An item of the table when nobody says more of it. */
export type StoredItem = Key & Attributes

/** The table keeps no types: whoever reads a key says what is written there. The one place that takes their word for it. */
const asWritten = <T extends Attributes>(item: Attributes): T => item as T

const address = (key: Key) => `${key.pk}\n${key.sk}`

/** The table takes no longer partition key, so nothing lies under one: a filter can ask for any text (A7.3). */
const canExist = (pk: string): boolean => Buffer.byteLength(pk) <= 2048

/** How a look reads: `recent` may be a second behind, at half the price. */
export type Look = 'exact' | 'recent'

/** One item, read consistently unless told otherwise. */
export async function getItem<T extends Attributes = StoredItem>(
  key: Key,
  look: Look = 'exact',
): Promise<T | undefined> {
  if (!canExist(key.pk)) return undefined
  const ConsistentRead = look === 'exact'
  const { Item } = await table().send(new GetCommand({ TableName: tableName(), Key: key, ConsistentRead }))
  return Item && unpackLarge(asWritten<T>(Item))
}

type Found<T> = Map<string, T>

/**
 * Asks the table for items, 100 keys a request, all at once. Of large items it answers 16 MB a request: those that it left
 * out are returned.
 */
async function ask<T extends Attributes>(
  keys: Key[],
  found: Found<T>,
  attempt: number,
  { look = 'exact', ...projection }: { look?: Look } & Partial<ReturnType<typeof projectionOf>> = {},
): Promise<Key[]> {
  if (attempt === 8) throw Object.assign(new Error('Keys left unread.'), { name: 'ThrottlingException' })
  if (attempt > 0) await waiting.sleep(jitter(attempt, 20, 2_560))
  const chunks = Array.from({ length: Math.ceil(keys.length / 100) }, (_, i) => keys.slice(i * 100, i * 100 + 100))
  const left = await Promise.all(
    chunks.map(async (Keys) => {
      const answer = await table().send(
        new BatchGetCommand({
          RequestItems: { [tableName()]: { Keys, ConsistentRead: look === 'exact', ...projection } },
        }),
      )
      for (const item of answer.Responses?.[tableName()] ?? [])
        found.set(address(asWritten<StoredItem>(item)), asWritten<T>(item))
      return (answer.UnprocessedKeys?.[tableName()]?.Keys ?? []).map(asWritten<Key>)
    }),
  )
  return left.flat()
}

const distinct = (keys: Key[]): Key[] => [
  ...new Map(keys.map((key) => [address(key), { pk: key.pk, sk: key.sk }])).values(),
]

/**
 * Items in the order of their keys, undefined where there is none; consistent unless told otherwise, with large attributes
 * still packed.
 */
export async function getStoredItems<T extends Attributes = StoredItem>(
  keys: Key[],
  look: Look = 'exact',
): Promise<(T | undefined)[]> {
  const found: Found<T> = new Map()
  let left = distinct(keys)
  for (let attempt = 0; left.length > 0; attempt++) left = await ask(left, found, attempt, { look })
  return keys.map((key) => found.get(address(key)))
}

/** Some attributes of items, in the order of their keys, undefined where there is none. */
export async function getAttributes(
  keys: Key[],
  attributes: readonly string[],
  look: Look = 'exact',
): Promise<(StoredItem | undefined)[]> {
  const found: Found<StoredItem> = new Map()
  const projection = projectionOf(['pk', 'sk', ...attributes])
  let left = distinct(keys)
  for (let attempt = 0; left.length > 0; attempt++) left = await ask(left, found, attempt, { look, ...projection })
  return keys.map((key) => found.get(address(key)))
}

/** Which of these items there are, in the order of their keys; consistent. */
export const whichExist = async (keys: Key[]): Promise<boolean[]> =>
  (await getAttributes(keys, [])).map((item) => item !== undefined)

/** The same, where few may be taken: of large items, no more are asked for than one answer of the table holds. */
export async function* storedItems<T extends Attributes = StoredItem>(
  keys: Key[],
): AsyncGenerator<T | undefined, undefined> {
  const found: Found<T> = new Map()
  let left = distinct(keys)
  for (const key of keys) {
    const isLeft = () => left.some((one) => address(one) === address(key))
    for (let attempt = 0; isLeft(); attempt++) left = await ask(left, found, attempt)
    yield found.get(address(key))
  }
}

/** Items in the order of their keys, undefined where there is none; consistent. */
export async function getItems<T extends Attributes = StoredItem>(
  keys: Key[],
  look: Look = 'exact',
): Promise<(T | undefined)[]> {
  return (await getStoredItems<T>(keys, look)).map((item) => item && unpackLarge(item))
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
  const guard = await getItem<RowPointer>(guardKey(account, name, value))
  const item = guard && (await getItem(guard.row))
  return item ? itemRow(entity, item) : null
}

/** The rows that hold unique values, in their order. */
export async function findAllUnique<R extends Row>(
  entity: Entity<R>,
  account: string,
  name: string,
  values: string[],
): Promise<(R | null)[]> {
  const guards = await getItems<RowPointer>(values.map((value) => guardKey(account, name, value)))
  const items = await getItems(guards.flatMap((guard) => (guard ? [guard.row] : [])))
  let next = 0
  return guards.map((guard) => {
    const item = guard && items[next++]
    return item ? itemRow(entity, item) : null
  })
}

/** Rows beyond the sort key `after`, which counts where `inclusive` says so, at most `limit` of them. */
export type Range = {
  after?: string
  inclusive?: boolean
  backward?: boolean
  limit?: number
  /** Without a limit so many at a time, where the table would send a megabyte: less garbage for whoever walks far. */
  atOnce?: number
  /** At half the price, and perhaps without what was written within the last second. */
  relaxed?: boolean
}

function conditionOf({ after, inclusive = false, backward = false }: Range): string {
  const equal = inclusive && after !== undefined ? '=' : ''
  return `pk = :pk AND sk ${backward ? '<' : '>'}${equal} :bound`
}

/** Items of a partition in sort key order, consistently, a page of the table at a time. Row counters are left out. */
async function* pagesOf<T extends Attributes>(
  pk: string,
  range: Range,
  attributes?: readonly string[],
  Command = QueryCommand,
): AsyncGenerator<T[]> {
  if (!canExist(pk)) return
  const { after, backward = false, limit, atOnce } = range
  let count = 0
  let start: Attributes | undefined
  do {
    const page = await table().send(
      new Command({
        TableName: tableName(),
        ConsistentRead: range.relaxed !== true,
        ScanIndexForward: !backward,
        KeyConditionExpression: conditionOf(range),
        ExpressionAttributeValues: { ':pk': pk, ':bound': after ?? (backward ? '~' : counterSort) },
        ExclusiveStartKey: start,
        Limit: limit === undefined ? atOnce : limit - count,
        ...(attributes && projectionOf(attributes)),
      }),
    )
    const items = (page.Items ?? []).filter((item) => item.sk !== counterSort)
    count += items.length
    yield items.map(asWritten<T>)
    start = page.LastEvaluatedKey
  } while (start && (limit === undefined || count < limit))
}

/** All of the items at once; without a limit the whole partition. */
export async function queryItems<T extends Attributes = StoredItem>(pk: string, range: Range = {}): Promise<T[]> {
  const items: T[] = []
  for await (const page of pagesOf<T>(pk, range)) items.push(...page.map((item) => unpackLarge(item)))
  return items
}

/** The sort keys alone; without a limit those of the whole partition. */
export async function sortKeysOf(pk: string, range: Range = {}): Promise<string[]> {
  const keys: string[] = []
  for await (const page of pagesOf<StoredItem>(pk, range, ['sk'])) for (const { sk } of page) keys.push(sk)
  return keys
}

/** Some attributes of the items by their sort keys, to be let go with the answer that is made of them. */
export async function queryAttributes<T extends Attributes>(
  pk: string,
  range: Range,
  attributes: readonly (keyof T & string)[],
): Promise<Map<string, T>> {
  const found = new Map<string, T>()
  for await (const page of pagesOf<StoredItem>(pk, range, ['sk', ...attributes], PassingQueryCommand)) {
    for (const item of page) found.set(item.sk, asWritten<T>(item))
  }
  return found
}

/** The items one by one, or some of their attributes, read and unpacked as they are taken. */
export async function* itemsOf(
  pk: string,
  range: Range = {},
  attributes?: readonly string[],
): AsyncGenerator<StoredItem> {
  for await (const page of pagesOf<StoredItem>(pk, range, attributes)) for (const item of page) yield unpackLarge(item)
}

/** The same, or some of their attributes, where they are let go soon: when the next is taken, or with the answer made of them. */
export async function* passingItems<T extends Attributes = StoredItem>(
  pk: string,
  range: Range,
  attributes?: readonly (keyof T & string)[],
): AsyncGenerator<T> {
  for await (const page of pagesOf<T>(pk, range, attributes, PassingQueryCommand)) {
    for (const item of page) yield unpackLarge(item)
  }
}

/** All rows that have `value` in an edge field, in the edge's order. */
export async function rowsBy<R extends Row>(
  entity: Entity<R>,
  account: string,
  field: string,
  value: string,
  range: Range = {},
): Promise<R[]> {
  const edges = await queryItems<RowPointer>(edgePartition(account, entity.name, field, value), range)
  const items = await getItems(edges.map(({ row }) => row))
  return items.flatMap((item) => (item ? [itemRow(entity, item)] : []))
}
