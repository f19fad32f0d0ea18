import { isDeepStrictEqual } from 'node:util'
import {
  countedPartitions,
  type Entity,
  indexItems,
  type Row,
  redactRow,
  rowItem,
  uniqueItems,
} from '../table/entity.ts'
import { address } from '../table/key-set.ts'
import { counterSort, type Item, type Key } from '../table/keys.ts'
import { tableName } from '../table/table.ts'
import { put, remove, type Write } from '../table/write-together.ts'
import type { Change } from './commit-record.ts'

export type StagedRow<R extends Row = Row> = {
  key: Key
  entity: Entity<R>
  before: R | null
  after: R | null
  parts?: Parts
}

type Parts = { item: Item | null; writes: Write[]; counts: Map<string, number> }

/**
 * Derives the writes of a row. Caches them, because a commit computes its size after each staged row.
 * @param sequence sequence of the commit, stored in the row's item
 */
export function partsOf(accountId: string, sequence: number, staged: StagedRow): Parts {
  if (!staged.parts) {
    const { entity, after } = staged
    const item = after && { ...rowItem(entity, accountId, after), commit: sequence }
    staged.parts = { item, writes: rowWrites(accountId, staged, item), counts: countedRows(accountId, staged) }
  }
  return staged.parts
}

const derivedItems = (accountId: string, { entity }: StagedRow, row: Row | null): Map<string, Item> =>
  new Map(
    (row ? [...uniqueItems(entity, accountId, row), ...indexItems(entity, accountId, row)] : []).map((item) => [
      address(item),
      item,
    ]),
  )

function rowWrites(accountId: string, staged: StagedRow, item: Item | null): Write[] {
  const { key, before, after } = staged
  const oldItems = derivedItems(accountId, staged, before)
  const newItems = derivedItems(accountId, staged, after)
  return [
    item ? put(item) : remove(key),
    ...[...oldItems].flatMap(([at, item]) => (newItems.has(at) ? [] : [remove(item)])),
    ...[...newItems].flatMap(([at, item]) => (oldItems.has(at) ? [] : [put(item)])),
  ]
}

function countedRows(accountId: string, { entity, before, after }: StagedRow): Map<string, number> {
  const counts = new Map<string, number>()
  const count = (row: Row | null, amount: number): void => {
    for (const pk of row ? countedPartitions(entity, accountId, row) : [])
      counts.set(pk, (counts.get(pk) ?? 0) + amount)
  }
  count(before, -1)
  count(after, 1)
  return counts
}

/** Sums the changes of row counters by partition, because a transaction takes one write per item. */
export function addCounts(sums: Map<string, number>, counts: Iterable<[pk: string, delta: number]>): void {
  for (const [pk, delta] of counts) sums.set(pk, (sums.get(pk) ?? 0) + delta)
}

export const counterWrites = (sums: Map<string, number>): Write[] =>
  [...sums].flatMap(([pk, delta]) => (delta === 0 ? [] : [counterWrite(pk, delta)]))

const counterWrite = (pk: string, delta: number): Write => ({
  Update: {
    TableName: tableName(),
    Key: { pk, sk: counterSort },
    UpdateExpression: 'SET #kind = :kind ADD #rows :delta',
    ExpressionAttributeNames: { '#kind': 'kind', '#rows': 'rows' },
    ExpressionAttributeValues: { ':kind': 'counter', ':delta': delta },
  },
})

/** Change of a row for the commit record; null when no logged field has changed (L6.2). */
export function recordedChange({ entity, before, after }: StagedRow): Change | null {
  if (!entity.logged) return null
  if (before && after && isDeepStrictEqual(loggedFields(entity, before), loggedFields(entity, after))) return null
  return {
    object: entity.name,
    operation: before ? (after ? 'update' : 'delete') : 'insert',
    before: before && redactRow(entity, before),
    after: after && redactRow(entity, after),
  }
}

function loggedFields(entity: Entity, row: Row): Record<string, unknown> {
  const { updated_at: _updatedAt, ...fields } = row
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !entity.unlogged.includes(key)))
}
