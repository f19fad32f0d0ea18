import { accounts } from '../../domain/accounts/account.ts'
import { actors } from '../../domain/actors/actor.ts'
import { apiTokens } from '../../domain/api-tokens/api-token.ts'
import { authProviders } from '../../domain/auth-providers/auth-provider.ts'
import { clientTokens } from '../../domain/client-tokens/client-token.ts'
import { clients } from '../../domain/clients/client.ts'
import { directories } from '../../domain/directories/directory.ts'
import { externalIdentities } from '../../domain/external-identities/external-identity.ts'
import { gatewayTokens } from '../../domain/gateway-tokens/gateway-token.ts'
import { gateways } from '../../domain/gateways/gateway.ts'
import { groups } from '../../domain/groups/group.ts'
import { mdmDevices } from '../../domain/mdm-devices/mdm-device.ts'
import { memberships } from '../../domain/memberships/membership.ts'
import { policies } from '../../domain/policies/policy.ts'
import { poolMembers } from '../../domain/pool-members/pool-member.ts'
import { portalSessions } from '../../domain/portal-sessions/portal-session.ts'
import { postureProviders } from '../../domain/posture-providers/posture-provider.ts'
import { resources } from '../../domain/resources/resource.ts'
import { sites } from '../../domain/sites/site.ts'
import { type Entity, indexItems, itemRow, uniqueItems } from '../../table/entity.ts'
import type { Item, Key } from '../../table/keys.ts'
import { unpackLarge } from '../../table/large-attributes.ts'
import { getStoredItems, type StoredItem } from '../../table/read.ts'
import { v0Configurations } from '../../v0/configuration.ts'
import { v0Devices } from '../../v0/device.ts'
import { v0Rules } from '../../v0/rule.ts'
import { v0Users } from '../../v0/user.ts'

const declared = [
  ...[accounts, actors, apiTokens, clientTokens, clients, externalIdentities, gatewayTokens, gateways, groups],
  ...[mdmDevices, memberships, policies, poolMembers, portalSessions, postureProviders, resources, sites],
  ...[...Object.values(authProviders), ...Object.values(directories)],
  ...[v0Configurations, v0Devices, v0Rules, v0Users],
] as unknown as Entity[]

/** Items of one transaction can be seen one after the other, for milliseconds. */
export const settleMs = 500

/** Every kind of stored object by its collection. A law holds that none is missing. */
export const checkedEntities: ReadonlyMap<string, Entity> = new Map(declared.map((entity) => [entity.name, entity]))

/** The account of an item and the collection, or whatever else, that the next part of its partition names. */
export function itemLocation({ pk }: Pick<Key, 'pk'>): { account: string; collection: string } {
  const [account = '', collection = ''] = pk.split('#')
  return { account, collection }
}

/** The kind of object that an item is a row of; undefined for all other items. */
export const entityOf = (item: StoredItem): Entity | undefined =>
  item.kind === 'entity' ? checkedEntities.get(itemLocation(item).collection) : undefined

/** Nothing for a row with values that its rules do not understand: somebody has changed it, which is a finding of its own. */
function orNone<T>(derive: () => T[]): T[] {
  try {
    return derive()
  } catch {
    return []
  }
}

/** The unique items and index items that a row has; none whose key would lack a field that the row has lost. */
export function derivedItems(item: StoredItem): Item[] {
  const entity = entityOf(item)
  if (!entity) return []
  const row = itemRow(entity, item)
  const { account } = itemLocation(item)
  return orNone(() => [...uniqueItems(entity, account, row), ...indexItems(entity, account, row)]).filter(isKey)
}

/** The names under which the account version counts a row. */
export const countersOf = (entity: Entity, item: StoredItem): string[] => [
  entity.name,
  ...orNone(() => entity.counters(itemRow(entity, item))),
]

const derivedPartitions: ReadonlySet<string> = new Set(
  [...checkedEntities.values()].flatMap(({ name, unique, indexes }) => [
    ...Object.keys(unique).map((set) => `unique.${set}`),
    ...Object.keys(indexes).map((field) => `${name}.${field}`),
  ]),
)

/** True for what only a commit of a row writes: a unique item or index item that leads to it. */
export const isDerived = (item: StoredItem): boolean =>
  (item.kind === 'unique' || item.kind === 'index') && derivedPartitions.has(itemLocation(item).collection)

/** An item with its large attributes unpacked; as it is stored where they do not unpack, so that it differs from its commit. */
export function unpacked<T extends Record<string, unknown>>(item: T): T {
  try {
    return unpackLarge(item)
  } catch {
    return item
  }
}

/** Items in the order of their keys, undefined where there is none; consistent, and unpacked as far as they can be. */
export const readItems = async (keys: Key[]): Promise<(StoredItem | undefined)[]> =>
  (await getStoredItems(keys)).map((item) => item && unpacked(item))

/** True for a key that an item can have. The table refuses a request with any other key. */
export const isKey = (key: unknown): key is Key => {
  const { pk, sk } = (key ?? {}) as Partial<Record<string, unknown>>
  return isText(pk, 2_048) && isText(sk, 1_024)
}

const isText = (value: unknown, maxBytes: number): boolean =>
  typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= maxBytes
