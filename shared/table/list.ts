import * as v from 'valibot'
import { takeFitting } from '../core/json/answer-size.ts'
import type { Page } from '../values/page.ts'
import { type Entity, itemRow, type Row } from './entity.ts'
import { readHead } from './head.ts'
import { counterSort, edgePartition, partition, type RowPointer } from './keys.ts'
import { unpackLarge } from './large-attributes.ts'
import { type Position, pageCursor, readPosition } from './page-cursor.ts'
import {
  getItem,
  getItems,
  getStoredItems,
  passingItems,
  queryItems,
  type Range,
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
  /** Edge field → value: rows that have all of them. Nothing selected means the whole collection. */
  edges?: Record<string, string>
  /** Newest first instead of oldest first (A7.2). */
  newestFirst?: boolean
  /** The fields of a row that are looked at, where it has many more; of rows that are found by an edge all are read. */
  fields?: readonly (keyof R & string)[]
  /** The object that an answer shows for a row, where it can be much larger than the row. */
  shown?: (row: R) => unknown
}

/**
 * A page of a collection (A7): one query of the base table, whatever the size of the collection, and its exact total
 * from a counter. It ends where its rows fill an answer, and no more of them is read than that takes. Only a combination
 * of filters reads all rows of its narrowest filter.
 */
export async function listRows<R extends Row>(
  entity: Entity<R>,
  account: string,
  page: Page,
  { edges = {}, newestFirst = false, fields, shown }: Selection<R> = {},
): Promise<Listed<R>> {
  const selected = Object.entries(edges)
  const [first, ...others] = selected
  if (first && others.length > 0) {
    const matches = (row: R) => selected.every(([field, value]) => entity.edges[field]?.value(row) === value)
    return listMatching(entity, account, page, {
      edge: await narrowest(entity, account, [first, ...others]),
      matches,
      newestFirst,
    })
  }
  const position = await readPosition(page)

  const pk = first ? edgePartition(account, entity.name, ...first) : partition(account, entity.name)
  const backward = position?.backward ?? false
  const range = { after: position?.at, backward: backward !== newestFirst, limit: page.limit + 1 }
  const [taken, behind, total] = await Promise.all([
    takePage(first ? rowsAtEdges(entity, pk, range) : rowsIn(entity, pk, range, fields), page.limit, shown),
    position ? anyFrom(pk, position, newestFirst) : false,
    first ? partitionTotal(pk) : collectionTotal(account, entity.name),
  ])
  return listed(page, windowOf(taken, backward, behind), total)
}

/** The range of a page in the order of the ids, of any partition that is sorted by them, and one row beyond it. */
export async function rangeOf(page: Page): Promise<Range> {
  const { at, backward } = (await readPosition(page)) ?? { backward: false }
  return { after: at, backward, limit: page.limit + 1 }
}

/** A page of the ids by which the rows of a part of a collection are sorted, where what is shown are other rows. */
export async function listIds<R extends Row>(
  { name }: Entity<R>,
  account: string,
  page: Page,
  within: string,
): Promise<Listed<string>> {
  const position = await readPosition(page)
  const pk = partition(account, name, within)
  const backward = position?.backward ?? false
  const [ids, behind, total] = await Promise.all([
    sortKeysOf(pk, { after: position?.at, backward, limit: page.limit + 1 }),
    position ? anyFrom(pk, position, false) : false,
    partitionTotal(pk),
  ])
  const kept = ids.slice(0, page.limit).map((id) => ({ sort: id, row: id }))
  return listed(page, windowOf({ kept, more: ids.length > page.limit }, backward, behind), total)
}

/** A row and where it stands in the list; without the row where that was just deleted, or is not shown. */
type Placed<R> = { sort: string; row?: R }

async function* rowsIn<R extends Row>(
  entity: Entity<R>,
  pk: string,
  range: Range,
  fields?: readonly string[],
): AsyncGenerator<Placed<R>> {
  // What an older version has stored is upgraded from all that there is.
  const attributes = fields && entity.upgrades.length === 0 ? ['sk', ...fields] : undefined
  for await (const item of passingItems(pk, range, attributes)) yield { sort: item.sk, row: itemRow(entity, item) }
}

/** The rows that edges lead to; the last edge of the range only shows that there are more. */
async function* rowsAtEdges<R extends Row>(
  entity: Entity<R>,
  pk: string,
  range: Range & { limit: number },
): AsyncGenerator<Placed<R>> {
  const edges = await queryItems<RowPointer>(pk, range)
  const within = edges.slice(0, range.limit - 1)
  const items = storedItems(within.map(({ row }) => row))
  for (const { sk } of within) {
    const { value: item } = await items.next()
    yield { sort: sk, row: item && itemRow(entity, unpackLarge(item)) }
  }
  for (const { sk } of edges.slice(within.length)) yield { sort: sk }
}

type Taken<R> = { kept: Placed<R>[]; more: boolean }

const takePage = <R>(
  source: AsyncIterable<Placed<R>> | Iterable<Placed<R>>,
  limit: number,
  shown: (row: R) => unknown = (row) => row,
): Promise<Taken<R>> => takeFitting(source, { limit, shown: ({ row }) => (row ? shown(row) : null) })

type EdgeValue = [field: string, value: string]

/** The edge with the fewest rows, by its counter. */
async function narrowest<R extends Row>(
  entity: Entity<R>,
  account: string,
  edges: [EdgeValue, ...EdgeValue[]],
): Promise<EdgeValue> {
  const counters = await getItems(
    edges.map((edge) => ({ pk: edgePartition(account, entity.name, ...edge), sk: counterSort })),
  )
  const rows = counters.map((counter) => Number(counter?.rows ?? 0))
  return edges[rows.indexOf(Math.min(...rows))] ?? edges[0]
}

/** Tells if a row lies on the other side of the position; the row at it counts. */
async function anyFrom(pk: string, { at, backward }: Position, newestFirst: boolean): Promise<boolean> {
  if (at === undefined) return false
  const found = await sortKeysOf(pk, { after: at, inclusive: true, backward: !backward !== newestFirst, limit: 1 })
  return found.length > 0
}

type Window<R> = { placed: Placed<R>[]; before: boolean; after: boolean }

/** Brings a backward page into the list's order, and says what lies around it. */
const windowOf = <R>({ kept, more }: Taken<R>, backward: boolean, behind: boolean): Window<R> =>
  backward ? { placed: kept.toReversed(), before: more, after: behind } : { placed: kept, before: behind, after: more }

async function listed<R>(page: Page, { placed, before, after }: Window<R>, total: number): Promise<Listed<R>> {
  const cursor = async (at: string | undefined, backward: boolean, wanted: boolean) =>
    wanted ? pageCursor(page, { at, backward }) : null
  const [next_page, prev_page] = await Promise.all([
    cursor(placed.at(-1)?.sort, false, after),
    cursor(placed[0]?.sort, true, before),
  ])
  const rows = placed.flatMap(({ row }) => (row === undefined ? [] : [row]))
  return { rows, metadata: { limit: page.limit, next_page, prev_page, total, count: total } }
}

async function collectionTotal(account: string, name: string): Promise<number> {
  const { counts } = await readHead(account)
  return counts[name] ?? 0
}

async function partitionTotal(pk: string): Promise<number> {
  return Number((await getItem({ pk, sk: counterSort }))?.rows ?? 0)
}

type Match<R> = { edge: EdgeValue; matches: (row: R) => boolean; newestFirst?: boolean }

/** A page of the rows of one edge that match: reads all rows of the edge, so for edges that stay short. */
export async function listMatching<R extends Row>(
  entity: Entity<R>,
  account: string,
  page: Page,
  { edge, matches, newestFirst = false }: Match<R>,
): Promise<Listed<R>> {
  const edges = await queryItems<RowPointer>(edgePartition(account, entity.name, ...edge), { backward: newestFirst })
  // All stay packed but the one that is looked at, and those of the page.
  const items = await getStoredItems(edges.map(({ row }) => row))
  const read = (item: Record<string, unknown>) => itemRow(entity, unpackLarge(item))
  const all = items.flatMap((item) =>
    item && matches(read(item)) ? [{ id: String(item.id), row: () => read(item) }] : [],
  )
  return pageOf(all, page, { newestFirst })
}

/** A page of rows that are all at hand, in their order; each is made when it is taken. */
export async function pageOf<R extends Row>(
  all: { id: string; row: () => R }[],
  page: Page,
  { newestFirst = false, shown }: Pick<Selection<R>, 'newestFirst' | 'shown'> = {},
): Promise<Listed<R>> {
  const position = await readPosition(page)
  const backward = position?.backward ?? false
  const at = position?.at
  const side =
    at === undefined ? all : all.filter(({ id }) => id !== at && (newestFirst ? id > at : id < at) === backward)
  const ordered = backward ? side.toReversed() : side
  const placed = ordered.values().map(({ id, row }) => ({ sort: id, row: row() }))
  const taken = await takePage(placed, page.limit, shown)
  return listed(page, windowOf(taken, backward, all.length > side.length), all.length)
}
