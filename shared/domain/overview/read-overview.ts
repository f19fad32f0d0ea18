import * as v from 'valibot'
import { dayMicros, timestamp } from '../../core/clock.ts'
import { recordOf } from '../../core/json/record-of.ts'
import { covers } from '../../core/permission.ts'
import { readAccountVersion } from '../../table/account-version.ts'
import { type Entity, itemRow, type Row } from '../../table/entity.ts'
import { counterSort, indexPartition, partition } from '../../table/keys.ts'
import { getItems, queryItems } from '../../table/read.ts'
import { isUnexpired } from '../../values/expiry.ts'
import { apiTokens } from '../api-tokens/api-token.ts'
import { clientTokens } from '../client-tokens/client-token.ts'
import { directories } from '../directories/directory.ts'
import { gateways } from '../gateways/gateway.ts'
import { orphanedCounter } from '../policies/policy.ts'
import { postureProviders } from '../posture-providers/posture-provider.ts'
import { resources } from '../resources/resource.ts'
import { isOnline, readPresences } from '../sessions/presence.ts'
import { sites } from '../sites/site.ts'
import { isBraked, type SyncState } from '../sync/sync-state.ts'

const counted = ['actors', 'groups', 'resources', 'policies', 'sites', 'gateways', 'clients'] as const

/** Maximum number of items of a list (K11.G5(1)). */
const maxItems = 20
/** Maximum numbers of rows that are read (K11.G5(2)). */
const maxGateways = 1_000
const maxTokens = 1_000
const maxSites = 100

/** Time in which an expiring token ends. */
const expiringMicros = 14 * dayMicros

const sourceStates = ['failed', 'braked', 'rewound', 'disabled'] as const
const text = v.string()

const SiteWithoutGateway = v.object({ id: text, name: text, resources: v.nullable(v.number()) })
const FailedSource = v.object({
  object: text,
  id: text,
  name: text,
  state: v.picklist(sourceStates),
  error: v.nullable(text),
  since: text,
})
const ExpiringToken = v.object({
  object: v.picklist([apiTokens.name, clientTokens.name]),
  id: text,
  actor_id: text,
  name: v.nullable(text),
  expires_at: text,
})

/** State of an account's objects (K11.G5). A member is null if the scopes cannot read its collection. */
export const Overview = v.object({
  as_of: text,
  counts: v.object(recordOf(counted, () => v.nullable(v.number()))),
  gateways_online: v.nullable(v.number()),
  sites_without_gateway: v.nullable(v.object({ count: v.number(), items: v.array(SiteWithoutGateway) })),
  sources: v.nullable(v.array(FailedSource)),
  expiring: v.nullable(v.array(ExpiringToken)),
  orphaned_policies: v.nullable(v.number()),
  truncated: v.array(text),
})
type Overview = v.InferOutput<typeof Overview>

/** A member, and true if rows or items are missing. */
type Cut<T> = { value: T; isCut: boolean }

const firstItems = <T>(items: T[], isCut: boolean): Cut<T[]> => ({
  value: items.slice(0, maxItems),
  isCut: isCut || items.length > maxItems,
})

/** Reads some fields of the first rows of a collection, in the order of their ids, at half the price of exact rows. */
const readRows = async <R extends Row, F extends keyof R & string>(
  entity: Entity<R>,
  account: string,
  fields: readonly F[],
  limit?: number,
): Promise<Pick<R, F>[]> =>
  (await queryItems(partition(account, entity.name), { relaxed: true, limit }, fields)).map((item) =>
    itemRow(entity, item),
  )

type SiteGateways = { sites: Set<string>; onlineSites: Set<string>; online: number }

async function readGateways(account: string, now: number): Promise<SiteGateways> {
  const rows = await readRows(gateways, account, ['id', 'site_id'], maxGateways)
  const ids = rows.map(({ id }) => id)
  const presences = await readPresences(account, 'gateways', ids)
  const online = rows.filter((_, i) => isOnline(presences[i] ?? null, now))
  const sitesOf = (some: typeof rows) => new Set(some.map(({ site_id }) => site_id))
  return { sites: sitesOf(rows), onlineSites: sitesOf(online), online: online.length }
}

/** Returns the sites without an online gateway. The Internet Site, which not every account uses, counts only with a gateway. */
async function readSites(account: string, read: Promise<SiteGateways>, isCut: boolean, scopes: readonly string[]) {
  const [rows, withGateways] = await Promise.all([
    readRows(sites, account, ['id', 'name', 'managed_by'], maxSites),
    read,
  ])
  const without = rows.filter(
    ({ id, managed_by }) =>
      !withGateways.onlineSites.has(id) && (managed_by === 'account' || withGateways.sites.has(id)),
  )
  const shown = firstItems(without, isCut)
  const counters = covers(scopes, 'resources:read')
    ? await getItems(
        shown.value.map(({ id }) => ({ pk: indexPartition(account, resources.name, 'site_id', id), sk: counterSort })),
        'recent',
      )
    : null
  const items = shown.value.map(({ id, name }, i) => ({
    id,
    name,
    resources: counters && Number(counters[i]?.rows ?? 0),
  }))
  return { value: { count: without.length, items }, isCut: shown.isCut }
}

/** Returns the state of a source that does not run as it should; null for any other. */
function stateOf({
  is_disabled,
  disabled_reason,
  error,
}: Pick<SyncState, 'is_disabled' | 'disabled_reason' | 'error'>): (typeof sourceStates)[number] | null {
  if (is_disabled && disabled_reason !== 'sync error') return disabled_reason === 'rewound' ? 'rewound' : 'disabled'
  if (error === null) return null
  return isBraked(error) ? 'braked' : 'failed'
}

const sourceFields = [
  ...(['id', 'name', 'is_disabled', 'disabled_reason', 'error', 'first_failed_at', 'updated_at'] as const),
]

async function readSources(account: string, scopes: readonly string[]) {
  const kinds = [
    ...(covers(scopes, 'directories:read') ? Object.values(directories) : []),
    ...(covers(scopes, 'mdm:read') ? [postureProviders] : []),
  ] as unknown as Entity<Row & SyncState & { name: string }>[]
  const lists = await Promise.all(kinds.map((entity) => readRows(entity, account, sourceFields)))
  const sources = lists.flatMap((rows, i) =>
    rows.flatMap((row) => {
      const state = stateOf(row)
      if (state === null) return []
      const { id, name, error, first_failed_at, updated_at } = row
      const isFailed = state === 'failed' || state === 'braked'
      const since = (isFailed ? first_failed_at : null) ?? updated_at
      return [{ object: kinds[i]?.name ?? '', id, name, state, error, since }]
    }),
  )
  return firstItems(sources, false)
}

/** Returns the tokens that end soon, except tokens of sign-ins, which the next sign-in replaces. */
async function readExpiring(account: string, counts: Record<string, number>, now: number) {
  const [ofApi, ofClients] = [counts[apiTokens.name] ?? 0, counts[clientTokens.name] ?? 0]
  const apiLimit = Math.min(ofApi, Math.max(maxTokens / 2, maxTokens - ofClients))
  const clientLimit = Math.min(ofClients, maxTokens - apiLimit)
  const fields = ['id', 'actor_id', 'expires_at'] as const
  const [api, client] = await Promise.all([
    apiLimit > 0 ? readRows(apiTokens, account, [...fields, 'name'], apiLimit) : [],
    clientLimit > 0 ? readRows(clientTokens, account, [...fields, 'auth_provider_id'], clientLimit) : [],
  ])
  const tokens = [
    ...api.map(({ name, ...token }) => ({ object: apiTokens.name, ...token, name })),
    ...client.flatMap(({ auth_provider_id, ...token }) =>
      auth_provider_id === null ? [{ object: clientTokens.name, ...token, name: null }] : [],
    ),
  ]
  const ending = tokens.filter((one) => isUnexpired(one, now) && !isUnexpired(one, now + expiringMicros))
  ending.sort((a, b) => (a.expires_at < b.expires_at ? -1 : 1))
  return firstItems(ending, ofApi > apiLimit || ofClients > clientLimit)
}

/** Reads the state of an account's objects, as far as the scopes allow (K11.G5). */
export async function readOverview(account: string, scopes: readonly string[], now: number): Promise<Overview> {
  const canRead = recordOf([...counted, 'tokens', 'directories', 'mdm'] as const, (name) =>
    covers(scopes, `${name}:read`),
  )
  const { counts } = await readAccountVersion(account)
  const isGatewaysCut = (counts.gateways ?? 0) > maxGateways
  const read = canRead.gateways ? readGateways(account, now) : null
  const isSitesCut = isGatewaysCut || (counts.sites ?? 0) > maxSites
  const [online, withoutGateway, sources, expiring] = await Promise.all([
    read?.then(({ online: value }) => ({ value, isCut: isGatewaysCut })) ?? null,
    read && canRead.sites ? readSites(account, read, isSitesCut, scopes) : null,
    canRead.directories || canRead.mdm ? readSources(account, scopes) : null,
    canRead.tokens ? readExpiring(account, counts, now) : null,
  ])
  const members = { gateways_online: online, sites_without_gateway: withoutGateway, sources, expiring }
  return {
    as_of: timestamp(now),
    counts: recordOf(counted, (name) => (canRead[name] ? (counts[name] ?? 0) : null)),
    gateways_online: online?.value ?? null,
    sites_without_gateway: withoutGateway?.value ?? null,
    sources: sources?.value ?? null,
    expiring: (expiring?.value ?? null) as Overview['expiring'],
    orphaned_policies: canRead.policies ? (counts[orphanedCounter] ?? 0) : null,
    truncated: Object.entries(members).flatMap(([name, member]) => (member?.isCut ? [name] : [])),
  }
}
