import type { Page } from '../values/page.ts'
import type { Entity, Row } from './entity.ts'
import { type Key, presenceItemKey } from './keys.ts'
import { listRows, rangeOf } from './list.ts'
import { getItems, queryItems } from './read.ts'
import { divideFilters, type ScanMetadata, type Scanned, type ScanTests, scanRows } from './scan-rows.ts'

type PresenceItem = Record<string, unknown>

/** Attributes to read from the presence item, and from the row when the response contains only some of its fields. */
type ShownAttributes<R, T> = {
  presence: readonly (keyof T & string)[]
  row?: readonly (keyof R & string)[]
  addedBytes?: number
  tests?: ScanTests<R, T>
}

/**
 * Lists a page of rows with their presence items. Reads the presence items of an unfiltered page with one range query, and otherwise by
 * key.
 */
export async function listWithPresence<R extends Row, T extends PresenceItem>(
  entity: Entity<R>,
  account: string,
  page: Page,
  { presence: attributes, row: fields, addedBytes, tests = {} }: ShownAttributes<R, T>,
  filters: Record<string, string> = page.filters,
): Promise<{ entries: Scanned<R, T>[]; metadata: ScanMetadata }> {
  const { indexes, matches } = divideFilters(filters, tests)
  if (matches) return scanRows(entity, account, page, { indexes, matches, fields, presence: attributes, addedBytes })
  const keyOf = (id: string) => presenceItemKey(account, entity.name, id)
  const range = Object.keys(indexes).length > 0 ? null : await rangeOf(page)
  const [{ rows, metadata }, presenceItems] = await Promise.all([
    listRows(entity, account, page, { indexes, fields, addedBytes }),
    range ? queryItems<Key & T>(keyOf('').pk, range, ['sk', ...attributes]) : [],
  ])
  const presences = new Map<string, T | undefined>(presenceItems.map((item) => [item.sk, item]))
  // Selects the rows whose presence items must be read by key. If a row was deleted between the two reads, the range can end before the
  // page does.
  const last = range && presenceItems.length < range.limit ? undefined : presenceItems.at(-1)?.sk
  const isBeyond = (id: string) => !range || (last !== undefined && (range.backward ? id < last : id > last))
  const otherIds = rows.flatMap(({ id }) => (isBeyond(id) ? [id] : []))
  for (const [i, item] of (await getItems<T>(otherIds.map(keyOf))).entries()) presences.set(otherIds[i] ?? '', item)
  return { entries: rows.map((row) => ({ row, presence: presences.get(row.id) ?? null })), metadata }
}
