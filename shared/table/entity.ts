import { entityKey, type Item, indexPartition, type Key, membersPartition, partition, uniqueKey } from './keys.ts'

/** Fields that every stored object has. Rows use the snake_case names of the API. */
export type Row = { id: string; inserted_at: string; updated_at: string }
export type RowFields<R extends Row> = Omit<R, keyof Row>

/** Derives a value from a row. Method notation makes the parameter bivariant, so that each `Entity<R>` is an `Entity`. */
type ValueOf<R> = { value(row: R): string | null }['value']

type Index<R> = {
  /** Returns the value under which the row is indexed; null for a row outside the index. */
  value: ValueOf<R>
  /** Returns the sort key of the row among the rows with the same index value; by default the row's id. */
  sort?(row: R): string
  /** True to count the rows with each value, so that a filtered list has an exact total. */
  counted?: boolean
}

/** Converts a row from one schema version to the next. Idempotent (docs/evolution.md). */
type Upgrade = (row: Record<string, unknown>) => Record<string, unknown>

/** Nullable fields of a row. Each needs a default for rows stored before the field existed. */
type Nullable<R> = { [K in keyof R as null extends R[K] ? K : never]: R[K] }

type Defaults<R> = keyof Nullable<R> extends never ? { defaults?: Partial<R> } : { defaults: Partial<R> & Nullable<R> }

type Rules<R> = {
  /** Collection of the rows, and value of `object` in their change log entries (L6.2). */
  name: string
  /**
   * Returns the set and the member that a row links, such as a group and an actor. Links of a member are stored in its partition under the
   * id of the set. The ids of the members of a set are stored in chunks (`member-ids.ts`).
   */
  link?(row: R): Link
  /** Unique values of an account by set name, such as `actors.email`; null for a row without a value. */
  unique?: Record<string, ValueOf<R>>
  indexes?: Record<string, Index<R>>
  /** Returns the names of additional counters of the account that include this row. */
  counters?(row: R): string[]
  /** Fields recorded as `[redacted]` in the change log (L6.3). */
  redact?: string[]
  /** Fields that are not logged if nothing else in the row changes (L6.2(3)). */
  unlogged?: string[]
  /** Returns the row as the change log contains it, if it differs from the stored row (L6.1). */
  recorded?(row: R): Record<string, unknown>
  /** False if changes of these rows are not logged (L6.2(2)). */
  logged?: boolean
  /** Upgrades in the order of versions. The first converts rows of version 1; the last returns the current version. */
  upgrades?: Upgrade[]
}

export type Link = { set: string; member: string }

type Definition<R> = Rules<R> & Defaults<R>

export type Entity<R extends Row = Row> = Required<Omit<Rules<R>, 'link'>> &
  Pick<Rules<R>, 'link'> & { defaults: Partial<R> }

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

export const linkKey = ({ name }: Pick<Entity, 'name'>, account: string, { set, member }: Link): Key => ({
  pk: partition(account, name, member),
  sk: set,
})

export function rowKey<R extends Row>(entity: Entity<R>, account: string, row: R): Key {
  const link = entity.link?.(row)
  return link ? linkKey(entity, account, link) : entityKey(account, entity.name, row.id)
}

/** Current schema version of rows. A stored row without a version has version 1. */
export const versionOf = <R extends Row>({ upgrades }: Entity<R>): number => upgrades.length + 1

/** Builds the item of a row. Omits null fields whose default is null, to save storage. */
export function rowItem<R extends Row>(entity: Entity<R>, account: string, row: R): Item {
  const item: Item = { ...rowKey(entity, account, row), kind: 'entity', version: versionOf(entity) }
  const defaults: Partial<Record<string, unknown>> = entity.defaults
  for (const [name, value] of Object.entries(row)) if (value !== null || defaults[name] !== null) item[name] = value
  return item
}

const itemAttributes = new Set(['pk', 'sk', 'kind', 'ttl', 'version', 'commit'])

/** Converts an item to a row of the current version. Keeps fields that a later version added. */
export function itemRow<R extends Row>(entity: Entity<R>, item: Record<string, unknown>): R {
  const upgrades = entity.upgrades.slice(Number(item.version ?? 1) - 1)
  if (upgrades.length === 0) return copyFields(item, { ...entity.defaults }) as R
  return { ...entity.defaults, ...upgrades.reduce((row, upgrade) => upgrade(row), copyFields(item, {})) } as R
}

/** Copies the fields of a row in a loop, which is twice as fast as rest destructuring for rows of many shapes. */
function copyFields(item: Record<string, unknown>, row: Record<string, unknown>): Record<string, unknown> {
  for (const name of Object.keys(item)) if (!itemAttributes.has(name)) row[name] = item[name]
  return row
}

export const uniqueItems = <R extends Row>(entity: Entity<R>, account: string, row: R): Item[] =>
  Object.entries(entity.unique).flatMap(([name, value]) => {
    const text = value(row)
    return text === null
      ? []
      : [{ ...uniqueKey(account, name, text), kind: 'unique', row: rowKey(entity, account, row) }]
  })

export const indexItems = <R extends Row>(entity: Entity<R>, account: string, row: R): Item[] =>
  Object.entries(entity.indexes).flatMap(([field, index]) => {
    const text = index.value(row)
    if (text === null) return []
    const key = { pk: indexPartition(account, entity.name, field, text), sk: index.sort?.(row) ?? row.id }
    return [{ ...key, kind: 'index', row: rowKey(entity, account, row) }]
  })

export const countedPartitions = <R extends Row>(entity: Entity<R>, account: string, row: R): string[] => [
  ...(entity.link ? [membersPartition(account, entity.name, entity.link(row).set)] : []),
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
