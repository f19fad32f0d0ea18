import * as v from 'valibot'
import { takeFitting } from '../core/json/response-size.ts'
import type { Page } from '../values/page.ts'
import { type Entity, itemRow, type Row } from './entity.ts'
import { indexPartition, type Key, partition, presenceItemKey } from './keys.ts'
import { cursorsAround, Metadata, narrowestIndex } from './list.ts'
import { readPosition } from './page-cursor.ts'
import { getItems, queryPage } from './read.ts'

/** The `metadata` of a list with scan filters. `total` and `count` are null if a request uses such a filter (K11.G13(1)). */
export const ScanMetadata = v.object({
  ...Metadata.entries,
  total: v.nullable(v.number()),
  count: v.nullable(v.number()),
})
export type ScanMetadata = v.InferOutput<typeof ScanMetadata>

/** Row of a scan with its presence; null for a row without a presence item. */
export type Scanned<R, P = unknown> = { row: R; presence: P | null }

/** Tests of the filters without an index, by the name of the filter (K11.G13). */
export type ScanTests<R, P = unknown> = Record<string, (entry: Scanned<R, P>, value: string) => boolean>

/** Divides the filters of a page into indexed filters and a test for the others. The test is missing if all filters are indexed. */
export function divideFilters<R, P>(filters: Page['filters'], tests: ScanTests<R, P>) {
  const used = Object.entries(filters).flatMap(([name, value]) => {
    const test = tests[name]
    return test ? [(entry: Scanned<R, P>) => test(entry, value)] : []
  })
  const indexes = Object.fromEntries(Object.entries(filters).filter(([name]) => !(name in tests)))
  return { indexes, matches: used.length > 0 ? (entry: Scanned<R, P>) => used.every((test) => test(entry)) : undefined }
}

/** Maximum rows that a page reads (K11.G13(1)). Rows found through an index are read by key, at one read unit or more each. */
const maxRows = { ofRange: 1_000, ofIndex: 250 }

/** Maximum rows per query. With a presence item each, 250 rows take at most 350 of the 600 read units of a page. */
const maxBatch = 250

/** Read units after which a page ends, so that a last batch exceeds no bound. A thousand clients of usual size take 210 units. */
const maxUnits = 240

type Scan<R extends Row, P> = {
  indexes?: Record<string, string>
  matches: (entry: Scanned<R, P>) => boolean
  newestFirst?: boolean
  /** Fields to read from rows that are not found through an index. */
  fields?: readonly (keyof R & string)[]
  /** Attributes of the presence items to read, or a function that reads the presences of rows. */
  presence?: readonly string[] | ((ids: string[]) => Promise<(P | null)[]>)
  /** Maximum rows of a page, if their presences cost more than those of the table's presence items. */
  limit?: number
  addedBytes?: number
}

/**
 * Lists a page of the rows that match a filter without an index. Reads a bounded number of rows, so a page can end early, and even be
 * empty. `next_page` resumes after the last row read (K11.G13(1)).
 */
export async function scanRows<R extends Row, P = unknown>(
  entity: Entity<R>,
  account: string,
  page: Page,
  { indexes = {}, newestFirst = false, fields, presence = [], addedBytes, ...scan }: Scan<R, P>,
): Promise<{ entries: Scanned<R, P>[]; metadata: ScanMetadata }> {
  const { at, backward } = await readPosition(page)
  const [first, ...others] = Object.entries(indexes)
  const index = first && (await narrowestIndex(entity, account, [first, ...others]))
  const limit = Math.min(scan.limit ?? Number.POSITIVE_INFINITY, index ? maxRows.ofIndex : maxRows.ofRange)
  const isListed = (entry: Scanned<R, P>): boolean =>
    Object.entries(indexes).every(([field, value]) => entity.indexes[field]?.value(entry.row) === value) &&
    scan.matches(entry)

  async function readBatch(after: string | undefined, length: number) {
    const pk = index ? indexPartition(account, entity.name, ...index) : partition(account, entity.name)
    const attributes = fields && !index && entity.upgrades.length === 0 ? ['sk', ...fields] : undefined
    const batch = await queryPage(pk, { after, backward: backward !== newestFirst, limit: length }, attributes)
    const keys = batch.items.map((item) => (index ? (item.row as Key) : item))
    const [items, { presences, units }] = await Promise.all([
      index ? getItems(keys) : batch.items,
      readPresences(keys.map(({ sk }) => sk)),
    ])
    const rows = batch.items.map(({ sk }, i) => {
      const item = items[i]
      return { sort: sk, row: item && itemRow(entity, item), presence: presences[i] }
    })
    return { rows, isLast: batch.isLast, units: batch.units + units }
  }

  async function readPresences(ids: string[]): Promise<{ presences: (P | null | undefined)[]; units: number }> {
    if (typeof presence === 'function') return { presences: await presence(ids), units: 0 }
    if (presence.length === 0 || ids.length === 0) return { presences: [], units: 0 }
    const keys = ids.map((id) => presenceItemKey(account, entity.name, id))
    if (index) return { presences: (await getItems(keys)) as (P | undefined)[], units: 0 }
    const [from = '', to = ''] = [ids[0], ids.at(-1)].sort()
    const { items, units } = await queryPage(keys[0]?.pk ?? '', { between: [from, to] }, ['sk', ...presence])
    const found = new Map(items.map((item) => [item.sk, item as unknown as P]))
    return { presences: ids.map((id) => found.get(id)), units }
  }

  const sorts: { first?: string; last?: string } = {}
  let isLast = false
  async function* listed(): AsyncGenerator<Scanned<R, P>> {
    let [count, units] = [0, 0]
    for (let length = page.limit + 1; !isLast && count < limit && units <= maxUnits; length *= 2) {
      const batch = await readBatch(sorts.last ?? at, Math.min(length, maxBatch, limit - count))
      count += batch.rows.length
      units += batch.units
      for (const { sort, row, presence = null } of batch.rows) {
        const entry = row && { row, presence }
        if (entry && isListed(entry)) yield entry
        sorts.first ??= sort
        sorts.last = sort
      }
      isLast = batch.isLast
    }
  }
  const { items, more } = await takeFitting(listed(), { limit: page.limit, render: ({ row }) => row, addedBytes })
  const read = [sorts.first, sorts.last].flatMap((sort) => sort ?? [])
  if (backward) {
    items.reverse()
    read.reverse()
  }
  const cursors = await cursorsAround(page, read, {
    backward,
    more: more || !isLast,
    // A page that was requested with a cursor has the page that contained the cursor behind it.
    hasRowsBehind: page.cursor !== null,
  })
  return { entries: items, metadata: { limit: page.limit, ...cursors, total: null, count: null } }
}
