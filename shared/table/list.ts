import * as v from 'valibot'
import { decodeCursor, encodeCursor } from '../core/pagination.ts'
import type { Page } from '../values/page.ts'
import { type Entity, itemRow, type Row } from './entity.ts'
import { counterSort, edgePartition, headKey, type Key, partition } from './keys.ts'
import { getItem, getItems, queryItems } from './read.ts'

type Item = Record<string, unknown>

/** What every list says of itself (A7.1). */
export const Metadata = v.object({
  limit: v.number(),
  next_page: v.nullable(v.string()),
  prev_page: v.nullable(v.string()),
  total: v.number(),
  count: v.number(),
})
export type Metadata = v.InferOutput<typeof Metadata>

export type Listed<R> = { rows: R[]; metadata: Metadata }

type Selection = {
  /** Edge field → value: rows that have all of them. Nothing selected means the whole collection. */
  edges?: Record<string, string>
  /** The part of the collection, for rows that lie in parts of it. */
  within?: string
  /** Newest first instead of oldest first (A7.2). */
  newestFirst?: boolean
}

/** Where a page begins, exclusively; without `at` at the end of the list, for the page beside one that came out empty. */
type Position = { at?: string; backward: boolean }

/**
 * A page of a collection (A7): one query of the base table, whatever the size of the collection, and its exact total
 * from a counter. Only a combination of filters reads all rows of its narrowest filter.
 */
export async function listRows<R extends Row>(
  entity: Entity<R>,
  account: string,
  page: Page,
  { edges = {}, within, newestFirst = false }: Selection = {},
): Promise<Listed<R>> {
  const selected = Object.entries(edges)
  if (selected.length > 1) {
    const matches = (row: R) => selected.every(([field, value]) => entity.edges[field]?.value(row) === value)
    return listMatching(entity, account, page, {
      edge: await narrowest(entity, account, selected),
      matches,
      newestFirst,
    })
  }
  const [first] = selected
  const position = await positionOf(page)

  const pk = first
    ? edgePartition(account, entity.name, ...first)
    : within === undefined
      ? partition(account, entity.name)
      : partition(account, entity.name, within)
  const backward = position?.backward ?? false
  const [items, behind, total] = await Promise.all([
    queryItems(pk, { after: position?.at, backward: backward !== newestFirst, limit: page.limit + 1 }),
    position ? anyFrom(pk, position, newestFirst) : false,
    first || within !== undefined ? partitionTotal(pk) : collectionTotal(account, entity.name),
  ])
  const window = cut(items, page.limit, backward, behind)
  const rowItems = first ? await getItems(window.items.map((item) => item.row as Key)) : window.items
  const rows = rowItems.flatMap((item) => (item ? [itemRow(entity, item)] : []))
  return { rows, metadata: await metadata(page, window, total) }
}

type EdgeValue = [field: string, value: string]

/** The edge with the fewest rows, by its counter. */
async function narrowest<R extends Row>(entity: Entity<R>, account: string, edges: EdgeValue[]): Promise<EdgeValue> {
  const counters = await getItems(
    edges.map((edge) => ({ pk: edgePartition(account, entity.name, ...edge), sk: counterSort })),
  )
  const rows = counters.map((counter) => Number(counter?.rows ?? 0))
  return edges[rows.indexOf(Math.min(...rows))] as EdgeValue
}

/** Whether a row lies on the other side of the position, the row at it included. */
async function anyFrom(pk: string, { at, backward }: Position, newestFirst: boolean): Promise<boolean> {
  if (at === undefined) return false
  const against = !backward !== newestFirst
  const [exact, beyond] = await Promise.all([
    getItem({ pk, sk: at }),
    queryItems(pk, { after: at, backward: against, limit: 1 }),
  ])
  return exact !== undefined || beyond.length > 0
}

type Window = { items: Item[]; first?: string; last?: string; before: boolean; after: boolean }

/** Cuts the row read too many, brings a backward page into the list's order, and says what lies around it. */
function cut(items: Item[], limit: number, backward: boolean, behind: boolean): Window {
  const more = items.length > limit
  const kept = items.slice(0, limit)
  if (backward) kept.reverse()
  return {
    items: kept,
    first: kept[0]?.sk as string | undefined,
    last: kept.at(-1)?.sk as string | undefined,
    before: backward ? more : behind,
    after: backward ? behind : more,
  }
}

async function metadata(page: Page, { first, last, before, after }: Window, total: number): Promise<Metadata> {
  const cursor = async (at: string | undefined, backward: boolean, wanted: boolean) =>
    wanted ? encodeCursor(page.binding, { at, backward } satisfies Position) : null
  const [next_page, prev_page] = await Promise.all([cursor(last, false, after), cursor(first, true, before)])
  return { limit: page.limit, next_page, prev_page, total, count: total }
}

async function collectionTotal(account: string, name: string): Promise<number> {
  const head = await getItem(headKey(account))
  return (head?.counts as Record<string, number> | undefined)?.[name] ?? 0
}

async function partitionTotal(pk: string): Promise<number> {
  return Number((await getItem({ pk, sk: counterSort }))?.rows ?? 0)
}

const positionOf = async (page: Page): Promise<Position | null> =>
  page.cursor === null ? null : ((await decodeCursor(page.binding, page.cursor)) as Position)

type Match<R> = { edge: EdgeValue; matches: (row: R) => boolean; newestFirst?: boolean }

/** A page of the rows of one edge that match: reads all rows of the edge, so for edges that stay short. */
export async function listMatching<R extends Row>(
  entity: Entity<R>,
  account: string,
  page: Page,
  { edge, matches, newestFirst = false }: Match<R>,
): Promise<Listed<R>> {
  const edges = await queryItems(edgePartition(account, entity.name, ...edge), { backward: newestFirst })
  const items = await getItems(edges.map((edge) => edge.row as Key))
  const all = items.flatMap((item) => (item ? [itemRow(entity, item)] : [])).filter(matches)
  return pageOf(all, page, newestFirst)
}

/** A page of rows that are all at hand, in their order. */
export async function pageOf<R extends Row>(all: R[], page: Page, newestFirst = false): Promise<Listed<R>> {
  const position = await positionOf(page)
  const backward = position?.backward ?? false
  const at = position?.at
  const side =
    at === undefined ? all : all.filter(({ id }) => id !== at && (newestFirst ? id > at : id < at) === backward)
  const ordered = backward ? side.toReversed() : side
  const window = cut(
    ordered.slice(0, page.limit + 1).map((row) => ({ sk: row.id, row })),
    page.limit,
    backward,
    all.length > side.length,
  )
  return { rows: window.items.map((item) => item.row as R), metadata: await metadata(page, window, all.length) }
}
