import { itemRow, linkKey } from '../../table/entity.ts'
import { accountOf, membersPartition } from '../../table/keys.ts'
import { chunkKind, readChunks, unpackIds } from '../../table/member-ids.ts'
import type { StoredItem } from '../../table/read.ts'
import { checkedEntities, entityOf, isKey, itemLocation, readItems } from './derived-items.ts'
import { findingAt, type Suspicion } from './row-origin.ts'

/** Entities whose rows link members to sets, by the collection of the chunks of member ids. */
const linkEntities = new Map(
  [...checkedEntities.values()]
    .filter(({ link }) => link)
    .map((entity) => [itemLocation({ pk: membersPartition('', entity.name, '') }).collection, entity]),
)

/** Names of the partitions that contain chunks of member ids and a row counter. */
export const memberCollections: Iterable<string> = linkEntities.keys()

export const isMemberIds = (item: StoredItem): boolean =>
  item.kind === chunkKind && linkEntities.has(itemLocation(item).collection)

/** Finds links whose member is missing from the ids of the set. */
export async function missingMembers(rows: StoredItem[]): Promise<Suspicion[]> {
  const linksByPartition = Map.groupBy(rows.flatMap(linkOf), ({ pk }) => pk)
  const suspicions: Suspicion[] = []
  for (const [pk, links] of linksByPartition) {
    const sorted = links.map(({ member }) => member).sort()
    const chunks = await readChunks(pk, [sorted[0] as string, sorted.at(-1) as string])
    const chunkOf = (id: string) => chunks.find(({ sk }) => sk >= id)
    suspicions.push(
      ...links
        .filter(({ member }) => !chunkOf(member)?.ids.includes(member))
        .map(({ row, member }) => ({ about: row, finding: findingAt('missing', 'index', { pk, sk: member }) })),
    )
  }
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
  const rows = await readItems(members.map(({ key }) => key))
  return members.flatMap(({ item, member }, i) =>
    rows[i] ? [] : [{ about: item, finding: findingAt('unfounded', 'index', { pk: item.pk, sk: member }) }],
  )
}
