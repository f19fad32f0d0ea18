import { entityKey, type Item, indexPartition, type Key, partition, uniqueKey } from './keys.ts'

/** The fields of every stored object. Rows carry the wire's snake_case names. */
export type Row = { id: string; inserted_at: string; updated_at: string }
/** The fields of a row that its noun declares. */
export type RowFields<R extends Row> = Omit<R, keyof Row>

/** A value of a row. Taken from a method: its parameter is then bivariant, and entities of any rows are `Entity`. */
type ValueOf<R> = { value(row: R): string | null }['value']

type Index<R> = {
  /** The value under which the row is found; null leaves it out. */
  value: ValueOf<R>
  /** Sort key among the rows of one value; the row's id unless said otherwise. */
  sort?(row: R): string
  /** Counts the rows of each value, for the exact total of a filtered list. */
  counted?: boolean
}

/** From the form of a version to that of the next. A row that is in the next form already stays as it is (docs/evolution.md). */
type Upgrade = (row: Record<string, unknown>) => Record<string, unknown>

/** The fields of a row that can be null: each needs a value for the rows that were stored before it existed. */
type Nullable<R> = { [K in keyof R as null extends R[K] ? K : never]: R[K] }

/** The values of fields in rows that were stored before the fields existed (docs/evolution.md). */
type Defaults<R> = keyof Nullable<R> extends never ? { defaults?: Partial<R> } : { defaults: Partial<R> & Nullable<R> }

type Rules<R> = {
  /** The collection, and the `object` of its change log entries (L6.2). */
  name: string
  /** The place of the row if it is not in `(<account>, <name>)` under its id. */
  place?(row: R): { within: string; sort: string }
  /** Values that no two rows of an account share, by the name of the set (`actors.email`); null leaves the row out. */
  unique?: Record<string, ValueOf<R>>
  indexes?: Record<string, Index<R>>
  /** Names under which the account's account version counts the row, beside the collection itself. */
  counters?(row: R): string[]
  /** Keys shown as `[redacted]` on every record of a change (L6.3). */
  redact?: string[]
  /** Fields whose change alone is not logged (L6.2(3)). */
  unlogged?: string[]
  /** The row as records of a change show it, where the API does not show it as it is stored (L6.1). */
  recorded?(row: R): Record<string, unknown>
  /** False where changes of its rows are on no record (L6.2(2)). */
  logged?: boolean
  /** The first upgrades rows of version 1, the last makes those of today. */
  upgrades?: Upgrade[]
}

type Definition<R> = Rules<R> & Defaults<R>

export type Entity<R extends Row = Row> = Required<Omit<Rules<R>, 'place'>> &
  Pick<Rules<R>, 'place'> & { defaults: Partial<R> }

/** Declares a kind of stored object: where it lies, how it is found, and how its changes are recorded. */
export const entity = <R extends Row>(definition: Definition<R>): Entity<R> => ({
  unique: {},
  indexes: {},
  counters: () => [],
  redact: [],
  unlogged: [],
  recorded: (row) => row,
  logged: true,
  upgrades: [],
  defaults: {},
  ...definition,
})

export function rowKey<R extends Row>(entity: Entity<R>, account: string, row: R): Key {
  const place = entity.place?.(row)
  return place
    ? { pk: partition(account, entity.name, place.within), sk: place.sort }
    : entityKey(account, entity.name, row.id)
}

/** The version that rows are written in; what was stored without one is of version 1. */
export const versionOf = <R extends Row>({ upgrades }: Entity<R>): number => upgrades.length + 1

/** The item of a row. What is null where a row that lacks it is null, too, is left out: names are most of what is stored. */
export function rowItem<R extends Row>(entity: Entity<R>, account: string, row: R): Item {
  const item: Item = { ...rowKey(entity, account, row), kind: 'entity', version: versionOf(entity) }
  const defaults: Partial<Record<string, unknown>> = entity.defaults
  for (const [name, value] of Object.entries(row)) if (value !== null || defaults[name] !== null) item[name] = value
  return item
}

/** Attributes of an item that are no fields of its row. */
const notOfRow = new Set(['pk', 'sk', 'kind', 'ttl', 'version', 'commit'])

/** The row of an item in the form of today, whatever version it was stored in. Fields of a later version are kept. */
export function itemRow<R extends Row>(entity: Entity<R>, item: Record<string, unknown>): R {
  const upgrades = entity.upgrades.slice(Number(item.version ?? 1) - 1)
  if (upgrades.length === 0) return withFieldsOf(item, { ...entity.defaults }) as R
  return { ...entity.defaults, ...upgrades.reduce((row, upgrade) => upgrade(row), withFieldsOf(item, {})) } as R
}

/** In place of a rest of a pattern, which takes twice as long for rows of many kinds. */
function withFieldsOf(item: Record<string, unknown>, row: Record<string, unknown>): Record<string, unknown> {
  for (const name of Object.keys(item)) if (!notOfRow.has(name)) row[name] = item[name]
  return row
}

/** Unique items of a row: one at each unique value, pointing back to the row. */
export const uniqueItems = <R extends Row>(entity: Entity<R>, account: string, row: R): Item[] =>
  Object.entries(entity.unique).flatMap(([name, value]) => {
    const text = value(row)
    return text === null
      ? []
      : [{ ...uniqueKey(account, name, text), kind: 'unique', row: rowKey(entity, account, row) }]
  })

/** Index items of a row: one for each value it is found by, pointing back to the row. */
export const indexItems = <R extends Row>(entity: Entity<R>, account: string, row: R): Item[] =>
  Object.entries(entity.indexes).flatMap(([field, index]) => {
    const text = index.value(row)
    if (text === null) return []
    const key = { pk: indexPartition(account, entity.name, field, text), sk: index.sort?.(row) ?? row.id }
    return [{ ...key, kind: 'index', row: rowKey(entity, account, row) }]
  })

/** The partitions whose row counter counts this row. */
export const countedPartitions = <R extends Row>(entity: Entity<R>, account: string, row: R): string[] => [
  ...(entity.place ? [rowKey(entity, account, row).pk] : []),
  ...Object.entries(entity.indexes).flatMap(([field, index]) => {
    const text = index.counted ? index.value(row) : null
    return text === null ? [] : [indexPartition(account, entity.name, field, text)]
  }),
]

export const redacted = '[redacted]'

export const redactRow = <R extends Row>(entity: Entity<R>, row: R): Record<string, unknown> => ({
  ...entity.recorded(row),
  ...Object.fromEntries(entity.redact.map((key) => [key, redacted])),
})
