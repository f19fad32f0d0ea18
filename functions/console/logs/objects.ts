import type { Collection, Column, ReferenceName, Row } from '../collection/collection.ts'
import { fillAddress } from '../collection/collection.ts'
import type { Names } from '../collection/references.ts'
import { detectedColumn, fieldColumn, textOf } from '../collection/values.tsx'
import { plainText, shortId } from '../parts/characters.ts'
import { actors } from '../screens/actors/actors.tsx'
import { clients } from '../screens/clients/clients.tsx'
import { gateways } from '../screens/gateways/gateways.tsx'
import { groups } from '../screens/groups/groups.tsx'
import { policies } from '../screens/policies/policies.tsx'
import { providerKinds, providersOf } from '../screens/providers/providers.tsx'
import { resources } from '../screens/resources/resources.tsx'
import { sites } from '../screens/sites/sites.tsx'
import type { Change } from './entries.ts'

/** Collections of the objects in change entries, by `object` (L6.2). Other objects have no screen of their own. */
const collections: Record<string, Collection> = {
  ...{ actors, clients, gateways, groups, policies, resources, sites },
  ...Object.fromEntries(providerKinds.map((kind) => [`${kind}_auth_providers`, providersOf(kind)])),
}

export const collectionOf = (object: string): Collection | undefined => collections[object]

/** Collections to which fields of log entries refer. */
const targets: Record<string, ReferenceName> = {
  actor_id: 'actors',
  group_id: 'groups',
  resource_id: 'resources',
  site_id: 'sites',
  gateway_id: 'gateways',
  initiator_actor_id: 'actors',
  initiator_device_id: 'clients',
  responder_device_id: 'gateways',
}

/** Returns how a field of an object is shown: as in its details or form, otherwise by its name and value. */
export function columnOf(object: string, field: string, value: unknown): Column<Row> {
  const collection = collectionOf(object)
  const to =
    targets[field] ?? (object === 'static_device_pool_members' && field === 'device_id' ? 'clients' : undefined)
  if (to) return { field, to }
  const found = [...(collection?.facts ?? []), ...(collection?.columns ?? [])].find((column) => column.field === field)
  if (found?.kind) return found
  const edited = collection?.fields.find(({ name }) => name === field)
  const column = edited && fieldColumn(edited)
  return column?.kind ? column : detectedColumn(field, value, 'instant')
}

/** Returns a value of a field in the words of the forms. */
export const wordsOf = (object: string, field: string, value: unknown, names: Names): string =>
  textOf(columnOf(object, field, value), { id: '', [field]: value }, names)

export const rowOf = ({ after, before }: Change): Row => (after ?? before ?? {}) as Row

/** Owners by which objects without a name of their own are named, such as tokens. */
const owners = ['actor_id', 'gateway_id', 'site_id']

/** Returns the name of a changed object, the names of the objects that it connects, or the name of its owner. */
export function nameOf(change: Change, names: Names): { name: string; isOwner: boolean } {
  const row = rowOf(change)
  // Names a policy whose group was deleted by its former group.
  const idIn = (field: string) => String(row[field] ?? change.before?.[field])
  const named = (field: string, to = targets[field]) => to && names(to, idIn(field))
  const { connects } = collectionOf(change.object) ?? {}
  if (connects) {
    const name = connects.map(({ field, to }) => named(field, to) ?? shortId(idIn(field))).join(' → ')
    return { name, isOwner: false }
  }
  const ownName = row.name ?? row.email ?? row.hostname ?? row.description
  const owner = ownName == null ? owners.map((field) => row[field] && named(field)).find(Boolean) : undefined
  return { name: plainText(String(ownName ?? owner ?? shortId(String(row.id)))), isOwner: owner !== undefined }
}

/** Ids in entries by the collection that they refer to, for their names. */
export function idsInChanges(changes: Change[]): Partial<Record<ReferenceName, string[]>> {
  const wanted: Partial<Record<ReferenceName, string[]>> = {}
  for (const { object, before, after } of changes)
    for (const row of [before, after])
      for (const [field, value] of Object.entries(row ?? {})) {
        const { to } = columnOf(object, field, value)
        if (to && typeof value === 'string' && !wanted[to]?.includes(value)) wanted[to] = [...(wanted[to] ?? []), value]
      }
  return wanted
}

/** Returns the address of a changed object; undefined for one without a screen. */
export function objectAddress(change: Change): string | undefined {
  const collection = collectionOf(change.object)
  const row = rowOf(change)
  if (!collection) return undefined
  return `${fillAddress(collection.address, row as unknown as Record<string, string>)}/${row.id}`
}
