import { type Entity, edgeItems, guardItems, itemRow } from '../../table/entity.ts'
import type { Item, Key } from '../../table/keys.ts'
import type { StoredItem } from '../../table/read.ts'
import { checkedEntities } from './checked-entities.ts'
import { isKey } from './read-items.ts'

/** The account of an item and the collection, or whatever else, that the next part of its partition names. */
export function placeOf({ pk }: Key): { account: string; collection: string } {
  const [account = '', collection = ''] = pk.split('#')
  return { account, collection }
}

/** The kind of object that an item is a row of; undefined for all other items. */
export const entityOf = (item: StoredItem): Entity | undefined =>
  item.kind === 'entity' ? checkedEntities.get(placeOf(item).collection) : undefined

/** Nothing for a row with values that its rules do not understand: somebody has changed it, which is a finding of its own. */
function orNone<T>(derive: () => T[]): T[] {
  try {
    return derive()
  } catch {
    return []
  }
}

/** The guards and edges that a row has; none whose key would lack a field that the row has lost. */
export function derivedItems(item: StoredItem): Item[] {
  const entity = entityOf(item)
  if (!entity) return []
  const row = itemRow(entity, item)
  const { account } = placeOf(item)
  return orNone(() => [...guardItems(entity, account, row), ...edgeItems(entity, account, row)]).filter(isKey)
}

/** The names under which the head item counts a row. */
export const countersOf = (entity: Entity, item: StoredItem): string[] => [
  entity.name,
  ...orNone(() => entity.counters(itemRow(entity, item))),
]

const derivedPlaces: ReadonlySet<string> = new Set(
  [...checkedEntities.values()].flatMap(({ name, unique, edges }) => [
    ...Object.keys(unique).map((set) => `unique.${set}`),
    ...Object.keys(edges).map((field) => `${name}.${field}`),
  ]),
)

/** True for what only a commit of a row writes: a guard or edge that leads to it. */
export const isDerived = (item: StoredItem): boolean =>
  (item.kind === 'guard' || item.kind === 'edge') && derivedPlaces.has(placeOf(item).collection)
