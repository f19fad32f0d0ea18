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

/** All entities by collection. A law checks that the list is complete. */
export const checkedEntities: ReadonlyMap<string, Entity> = new Map(declared.map((entity) => [entity.name, entity]))

/** Returns the first two parts of an item's partition key: the account and, for most items, the collection. */
export function itemLocation({ pk }: Pick<Key, 'pk'>): { account: string; collection: string } {
  const [account = '', collection = ''] = pk.split('#')
  return { account, collection }
}

export const entityOf = (item: StoredItem): Entity | undefined =>
  item.kind === 'entity' ? checkedEntities.get(itemLocation(item).collection) : undefined

/** Returns an empty list if a row has invalid values. Such a row was changed outside the service, which is reported separately. */
function orNone<T>(derive: () => T[]): T[] {
  try {
    return derive()
  } catch {
    return []
  }
}

/** Derives the unique and index items of a row, except items without a valid key. */
export function derivedItems(item: StoredItem): Item[] {
  const entity = entityOf(item)
  if (!entity) return []
  const row = itemRow(entity, item)
  const { account } = itemLocation(item)
  return orNone(() => [...uniqueItems(entity, account, row), ...indexItems(entity, account, row)]).filter(isKey)
}

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

export const isDerived = (item: StoredItem): boolean =>
  (item.kind === 'unique' || item.kind === 'index') && derivedPartitions.has(itemLocation(item).collection)

/** Decompresses the large attributes of an item. Returns a damaged item unchanged, so that it differs from its commit. */
export function unpacked<T extends Record<string, unknown>>(item: T): T {
  try {
    return unpackLarge(item)
  } catch {
    return item
  }
}

/** Reads items with strong consistency, in the order of `keys`. A missing item is undefined. */
export const readItems = async (keys: Key[]): Promise<(StoredItem | undefined)[]> =>
  (await getStoredItems(keys)).map((item) => item && unpacked(item))

/** True for a valid key. DynamoDB rejects a request with any other key. */
export const isKey = (key: unknown): key is Key => {
  const { pk, sk } = (key ?? {}) as Partial<Record<string, unknown>>
  return isText(pk, 2_048) && isText(sk, 1_024)
}

const isText = (value: unknown, maxBytes: number): boolean =>
  typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= maxBytes
