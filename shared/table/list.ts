import * as v from 'valibot'
import { takeFitting } from '../core/json/response-size.ts'
import { slicesOf } from '../core/work/in-parallel.ts'
import type { Page } from '../values/page.ts'
import { readAccountVersion } from './account-version.ts'
import { type Entity, itemRow, type Row } from './entity.ts'
import { counterSort, indexPartition, membersPartition, partition, type RowPointer } from './keys.ts'
import { unpackLarge } from './large-attributes.ts'
import { memberIdsIn, readMemberIds } from './member-ids.ts'
import { type Position, pageCursor, readPosition } from './page-cursor.ts'
import {
  getItem,
  getItems,
  getStoredItems,
  itemsOf,
  queryItems,
  type Range,
  type StoredItem,
  sortKeysOf,
  storedItems,
} from './read.ts'

/** The `metadata` of every list (A7.1). */
export const Metadata = v.object({
  limit: v.number(),
  next_page: v.nullable(v.string()),
  prev_page: v.nullable(v.string()),
  total: v.number(),
  count: v.number(),
})
export type Metadata = v.InferOutput<typeof Metadata>

export type Listed<R> = { rows: R[]; metadata: Metadata }

type Selection<R> = {
  /** Values that a row must have, by indexed field; all rows when empty. */
  indexes?: Record<string, string>
  /** Additional filter on the rows of an index. All rows of the index are read, so it must be short. */
  matches?: (row: R) => boolean
  /** True to list the newest rows first instead of the oldest (A7.2). */
  newestFirst?: boolean
  /** Fields to read from a row that has many others. Rows found through an index are read completely. */
  fields?: readonly (keyof R & string)[]
  /** Returns the object that the response contains for a row. Set if the object can be much larger than the row. */
  render?: (row: R) => unknown
  /** Maximum bytes of the fields that the response adds to each row. Set if they can exceed 400 bytes. */
  addedBytes?: number
}

/**
 * Lists a page of a collection (A7) with one query, and the exact total from a counter. Reads no more rows than fit a response. With
 * several filters, reads all rows that match the filter with the fewest rows.
 */
export async function listRows<R extends Row>(
  entity: Entity<R>,
  account: string,
  page: Page,
  { indexes = {}, matches, newestFirst = false, fields, ...shape }: Selection<R> = {},
): Promise<Listed<R>> {
  const indexEntries = Object.entries(indexes)
  const [first, ...others] = indexEntries
  if (first && (matches || others.length > 0)) {
    const isListed =
      matches ?? ((row) => indexEntries.every(([field, value]) => entity.indexes[field]?.value(row) === value))
    return listMatching(entity, account, page, await narrowestIndex(entity, account, [first, ...others]), isListed, {
      newestFirst,
      ...shape,
    })
  }
  const pk = first ? indexPartition(account, entity.name, ...first) : partition(account, entity.name)
  const { backward, ...range } = await rangeOf(page)
  const orderedRange = { ...range, backward: backward !== newestFirst }
  const source = first ? rowsOfIndex(entity, pk, orderedRange) : rowsIn(entity, pk, orderedRange, fields)
  const total = first
    ? indexTotal(entity, first[0], pk)
    : readAccountVersion(account).then(({ counts }) => counts[entity.name] ?? 0)
  return collectPage(page, source, [checkRowsBehind(pk, orderedRange), total], shape)
}

/** Range of a page in a partition sorted by id. One additional row shows whether a next page exists. */
export async function rangeOf(page: Page): Promise<Range & { backward: boolean; limit: number }> {
  const { at, backward } = await readPosition(page)
  return { after: at, backward, limit: page.limit + 1 }
}

/** Lists a page of the ids of a set's members, for lists that contain other rows with these ids. */
export async function listMemberIds(
  { name }: Pick<Entity, 'name'>,
  account: string,
  page: Page,
  set: string,
): Promise<Listed<string>> {
  const pk = membersPartition(account, name, set)
  const range = await rangeOf(page)
  return collectPage(page, idsIn(pk, range), [checkMembersBehind(pk, range), partitionTotal(pk)])
}

async function* idsIn(pk: string, range: Range): AsyncGenerator<ListedRow<string>> {
  for await (const id of memberIdsIn(pk, range)) yield { sort: id, row: id }
}

async function checkMembersBehind(pk: string, { after, backward }: Range): Promise<boolean> {
  if (after === undefined) return false
  return (await readMemberIds(pk, { after, inclusive: true, backward: !backward, limit: 1 })).length > 0
}

/** A row with its sort key. The row is missing if it was just deleted or is filtered out. */
type ListedRow<R> = { sort: string; row?: R }

async function* rowsIn<R extends Row>(
  entity: Entity<R>,
  pk: string,
  range: Range,
  fields?: readonly string[],
): AsyncGenerator<ListedRow<R>> {
  // Reads all fields if the entity has upgrades, because an upgrade of an older row may read any field.
  const attributes = fields && entity.upgrades.length === 0 ? ['sk', ...fields] : undefined
  for await (const item of itemsOf(pk, range, attributes)) yield { sort: item.sk, row: itemRow(entity, item) }
}

/** Maximum number of rows that an index reads together, because a response contains few of the largest rows. */
const maxConcurrentRows = 200

/** Yields the rows that index items point to. The last index item of the range only shows that more rows exist. */
async function* rowsOfIndex<R extends Row>(
  entity: Entity<R>,
  pk: string,
  range: Range & { limit: number },
): AsyncGenerator<ListedRow<R>> {
  const indexes = await queryItems<RowPointer>(pk, range)
  const pageIndexes = indexes.slice(0, range.limit - 1)
  for (const slice of slicesOf(pageIndexes, maxConcurrentRows)) {
    const items = storedItems(slice.map(({ row }) => row))
    for (const { sk } of slice) {
      const { value: item } = await items.next()
      yield { sort: sk, row: item && itemRow(entity, unpackLarge(item)) }
    }
  }
  for (const { sk } of indexes.slice(pageIndexes.length)) yield { sort: sk }
}

type IndexValue = [field: string, value: string]

/** Chooses the filter with the fewest rows. */
export async function narrowestIndex<R extends Row>(
  entity: Entity<R>,
  account: string,
  indexes: [IndexValue, ...IndexValue[]],
): Promise<IndexValue> {
  if (indexes.length === 1) return indexes[0]
  const counters = await getItems(
    indexes.map((index) => ({ pk: indexPartition(account, entity.name, ...index), sk: counterSort })),
  )
  const rows = counters.map((counter) => Number(counter?.rows ?? 0))
  return indexes[rows.indexOf(Math.min(...rows))] ?? indexes[0]
}

/** True if a row exists before the page in its direction, including the row of the cursor. */
async function checkRowsBehind(pk: string, { after, backward }: Range): Promise<boolean> {
  if (after === undefined) return false
  return (await sortKeysOf(pk, { after, inclusive: true, backward: !backward, limit: 1 })).length > 0
}

/** Collects rows in list order until the response is full. `hasRowsBehind` is true if rows exist before the page in its direction. */
async function collectPage<R>(
  page: Page,
  source: AsyncIterable<ListedRow<R>> | Iterable<ListedRow<R>>,
  bounds: [hasRowsBehind: Promise<boolean> | boolean, total: Promise<number> | number],
  { render = (row) => row, addedBytes }: Selection<R> = {},
): Promise<Listed<R>> {
  const shownRow = ({ row }: ListedRow<R>) => (row ? render(row) : null)
  const selection = takeFitting(source, { limit: page.limit, render: shownRow, addedBytes })
  const [{ items, more }, { backward }, hasRowsBehind, total] = await Promise.all([
    selection,
    readPosition(page),
    ...bounds,
  ])
  const orderedRows = backward ? items.toReversed() : items
  const rows = orderedRows.flatMap(({ row }) => (row === undefined ? [] : [row]))
  const cursors = await cursorsAround(
    page,
    orderedRows.map(({ sort }) => sort),
    { backward, more, hasRowsBehind },
  )
  return { rows, metadata: { limit: page.limit, ...cursors, total, count: total } }
}

/** Returns the cursors of the previous and next page, from the sort keys of this page; null if there is no such page. */
export async function cursorsAround(
  page: Page,
  sorts: string[],
  { backward, more, hasRowsBehind }: { backward: boolean; more: boolean; hasRowsBehind: boolean },
) {
  const cursor = async (hasPage: boolean, position: Position) => (hasPage ? pageCursor(page, position) : null)
  const [next_page, prev_page] = await Promise.all([
    cursor(backward ? hasRowsBehind : more, { at: sorts.at(-1), backward: false }),
    cursor(backward ? more : hasRowsBehind, { at: sorts[0], backward: true }),
  ])
  return { next_page, prev_page }
}

/** Counts the rows of an index by its counter; without a counter, by reading the index, which must be short. */
const indexTotal = async ({ indexes }: Pick<Entity, 'indexes'>, field: string, pk: string): Promise<number> =>
  indexes[field]?.counted ? partitionTotal(pk) : (await sortKeysOf(pk)).length

const partitionTotal = async (pk: string): Promise<number> =>
  Number((await getItem({ pk, sk: counterSort }))?.rows ?? 0)

async function listMatching<R extends Row>(
  entity: Entity<R>,
  account: string,
  page: Page,
  index: IndexValue,
  matches: (row: R) => boolean,
  selection: Selection<R>,
): Promise<Listed<R>> {
  const indexes = await queryItems<RowPointer>(indexPartition(account, entity.name, ...index), {
    backward: selection.newestFirst,
  })
  // Keeps items compressed, except for the item being compared and the items of the page.
  const items = await getStoredItems(indexes.map(({ row }) => row))
  const read = (item: StoredItem) => itemRow(entity, unpackLarge(item))
  const all = items.flatMap((item) =>
    item && matches(read(item)) ? [{ id: String(item.id), row: () => read(item) }] : [],
  )
  return pageOfRows(all, page, selection)
}

/** Lists a page of rows that are all in memory, in the given order. `row` builds a row only if it is on the page. */
export async function pageOfRows<R extends Row>(
  all: { id: string; row: () => R }[],
  page: Page,
  selection: Selection<R> = {},
): Promise<Listed<R>> {
  const { newestFirst = false } = selection
  const { at, backward } = await readPosition(page)
  const side =
    at === undefined ? all : all.filter(({ id }) => id !== at && (newestFirst ? id > at : id < at) === backward)
  const orderedRows = (backward ? side.toReversed() : side).values()
  const source = orderedRows.map(({ id, row }) => ({ sort: id, row: row() }))
  return collectPage(page, source, [all.length > side.length, all.length], selection)
}
