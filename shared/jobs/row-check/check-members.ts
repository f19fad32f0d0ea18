import { inParallel, slicesOf } from '../../core/work/in-parallel.ts'
import { itemRow, linkKey } from '../../table/entity.ts'
import { accountOf, counterSort, type Key, membersPartition } from '../../table/keys.ts'
import { containsId, readChunks, unpackIds } from '../../table/member-ids.ts'
import { checkExistence, type StoredItem } from '../../table/read.ts'
import { checkedEntities, entityOf, isKey, itemLocation } from './derived-items.ts'
import { findingAt, type Suspicion } from './row-origin.ts'

/** Entities whose rows link members to sets, by the collection of the chunks of member ids. */
const linkEntities = new Map(
  [...checkedEntities.values()]
    .filter(({ link }) => link)
    .map((entity) => [itemLocation({ pk: membersPartition('', entity.name, '') }).collection, entity]),
)

/** Names of the partitions that contain chunks of member ids and a row counter. */
export const memberCollections = [...linkEntities.keys()]

/** True for an item at a key where the service stores member ids, regardless of its `kind`. */
export const isMemberIds = (item: Key): boolean =>
  linkEntities.has(itemLocation(item).collection) && item.sk !== counterSort

const setsAtOnce = 8
const rowsPerRead = 1_000

/** Finds links whose member is missing from the ids of the set. */
export async function missingMembers(rows: StoredItem[]): Promise<Suspicion[]> {
  const linksByPartition = Map.groupBy(rows.flatMap(linkOf), ({ pk }) => pk)
  const suspicions: Suspicion[] = []
  await inParallel([...linksByPartition], setsAtOnce, async ([pk, links]) => {
    const chunks = await readChunks(pk, [...new Set(links.map(({ member }) => member))])
    for (const { row, member } of links) {
      if (!containsId(chunks, member))
        suspicions.push({ about: row, finding: findingAt('missing', 'index', { pk, sk: member }) })
    }
  })
  return suspicions
}

/** Returns the member in a link and the partition of its set; nothing for other rows, or for a row with invalid values. */
function linkOf(row: StoredItem): { row: StoredItem; pk: string; member: string }[] {
  const entity = entityOf(row)
  const link = entity?.link?.(itemRow(entity, row))
  if (!entity || !link) return []
  const pk = membersPartition(accountOf(row), entity.name, String(link.set))
  return isKey({ pk, sk: link.member }) ? [{ row, pk, member: link.member }] : []
}

/** Finds ids in sets for which no link exists. */
export async function unfoundedMembers(items: StoredItem[]): Promise<Suspicion[]> {
  const members = items.flatMap((item) => {
    const set = item.pk.slice(item.pk.lastIndexOf('#') + 1)
    const entity = linkEntities.get(itemLocation(item).collection)
    return entity
      ? unpackIds(item.ids).map((member) => ({ item, member, key: linkKey(entity, accountOf(item), { set, member }) }))
      : []
  })
  const suspicions: Suspicion[] = []
  for (const slice of slicesOf(members, rowsPerRead)) {
    const exist = await checkExistence(slice.map(({ key }) => key))
    for (const [i, { item, member }] of slice.entries()) {
      if (!exist[i])
        suspicions.push({ about: item, finding: findingAt('unfounded', 'index', { pk: item.pk, sk: member }) })
    }
  }
  return suspicions
}
