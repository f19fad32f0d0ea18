import { handler as listActors } from '#functions/api/actors/list-actors.ts'
import { handler as listClients } from '#functions/api/clients/list-clients.ts'
import { handler as listGroups } from '#functions/api/groups/list-groups.ts'
import { handler as listPolicies } from '#functions/api/policies/list-policies.ts'
import { handler as listResources } from '#functions/api/resources/list-resources.ts'
import { timestamp } from '#shared/core/clock.ts'
import { type ActorRow, actors } from '#shared/domain/actors/actor.ts'
import { type ClientRow, clients } from '#shared/domain/clients/client.ts'
import { type GroupRow, groups, nativeGroup } from '#shared/domain/groups/group.ts'
import { type PolicyRow, policies } from '#shared/domain/policies/policy.ts'
import { type ResourceRow, resources } from '#shared/domain/resources/resource.ts'
import { type ClientPresence, presenceItem } from '#shared/domain/sessions/presence.ts'
import type { Handler } from '#shared/http/lambda.ts'
import { publicKey } from '#test/support/access/public-key.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { robotRow } from '#test/support/accounts/actors.ts'
import { hostFields, openPolicy } from '#test/support/accounts/row-fields.ts'
import { type Consumed, measure } from '#test/support/table/consumed-capacity.ts'
import { bareClient } from '#test/support/table/plant-clients.ts'
import { plantItems, plantRows } from '#test/support/table/plant-rows.ts'

/** Table usage of a list for two sizes of its collection. */
export type ListCost = { name: string; few: Consumed; many: Consumed }

const groupId = '0198a000-0000-7000-8000-000000000001'
const siteId = '0198a000-0000-7000-8000-000000000002'
const actorId = '0198a000-0000-7000-8000-000000000003'

const online: ClientPresence = {
  session_id: siteId,
  lease_expires_at: 4_000_000_000_000_000,
  token_id: actorId,
  public_key: publicKey(),
  tested: '["192.0.2.1",null,null,false]',
  last_seen_at: timestamp(0),
  last_seen_version: '1.4.0',
  last_seen_user_agent: 'client/1.4.0',
  last_seen_remote_ip: '192.0.2.1',
}

const plants: Record<string, (accountId: string, count: number) => Promise<unknown>> = {
  groups: (accountId, count) =>
    plantRows<GroupRow>(accountId, groups, count, (i) => ({ name: `Group ${i}`, ...nativeGroup }), [
      'name',
      'entity_type',
    ]),
  actors: (accountId, count) => plantRows<ActorRow>(accountId, actors, count, robotRow, ['type']),
  resources: (accountId, count) =>
    plantRows<ResourceRow>(
      accountId,
      resources,
      count,
      (i) => ({
        ...hostFields(i, siteId),
        // Gives 60 rows the value `ipv6_only`, enough for two pages in a collection of any size.
        ip_stack: i < 60 ? 'ipv6_only' : 'dual',
      }),
      ['address', 'site_id', 'type', 'ip_stack'],
    ),
  clients: async (accountId, count) => {
    const rows = await plantRows<ClientRow>(
      accountId,
      clients,
      count,
      (i) => ({
        actor_id: actorId,
        name: `Laptop ${i}`,
        ipv4: `100.64.${i >> 8}.${i & 255}`,
        ipv6: `fd00:2021:1111::${i.toString(16)}`,
        svc_id: 'image',
        ...bareClient,
      }),
      ['svc_id'],
    )
    return plantItems(rows.map(({ id }) => presenceItem(accountId, 'clients', id, online)))
  },
  policies: (accountId, count) =>
    plantRows<PolicyRow>(
      accountId,
      policies,
      count,
      (i) => ({ group_id: groupId, ...openPolicy, resource_id: `${siteId.slice(0, -6)}${String(i).padStart(6, '0')}` }),
      ['group_id'],
    ),
}

const lists: [name: string, handler: Handler, query: Record<string, string>][] = [
  ['GET /groups', listGroups, {}],
  ['GET /groups?name=', listGroups, { name: 'Group 7' }],
  ['GET /groups?entity_type=', listGroups, { entity_type: 'group' }],
  ['GET /actors', listActors, {}],
  ['GET /actors?type=', listActors, { type: 'service_account' }],
  ['GET /resources', listResources, {}],
  ['GET /resources?site_id=', listResources, { site_id: siteId }],
  ['GET /resources?type=&ip_stack=', listResources, { type: 'dns', ip_stack: 'ipv6_only' }],
  ['GET /resources?address=', listResources, { address: 'host-7.example.com' }],
  ['GET /clients', listClients, {}],
  ['GET /clients?svc_id=', listClients, { svc_id: 'image' }],
  ['GET /policies?group_id=', listPolicies, { group_id: groupId }],
]

/** Measures the second page of each list (or its only page), in accounts with `few` and with `many` rows per collection. */
export async function listCosts(few: number, many: number): Promise<ListCost[]> {
  const sizes = await Promise.all([few, many].map(accountWith))
  const costs: ListCost[] = []
  for (const [name, handler, query] of lists) {
    const [first, second] = await Promise.all(sizes.map((account) => pageRequest(account, handler, query)))
    if (!first || !second) throw new Error('An account is missing.')
    costs.push({ name, few: await measure(first), many: await measure(second) })
  }
  return costs
}

type Account = Awaited<ReturnType<typeof newAccount>>

async function accountWith(rows: number): Promise<Account> {
  const account = await newAccount({ limits: { api_capacity: 1_000_000, api_refill_rate: 1_000_000 } })
  for (const plant of Object.values(plants)) await plant(account.id, rows)
  return account
}

async function pageRequest(account: Account, handler: Handler, query: Record<string, string>) {
  const { body } = await account.call(handler, { query: { ...query, limit: '50' } })
  const { next_page } = body.metadata
  const page = { ...query, limit: '50', ...(next_page && { page_cursor: next_page }) }
  return async () => {
    const answer = await account.call(handler, { query: page })
    if (answer.status !== 200 || answer.body.data.length === 0) throw new Error(`The page is empty: ${answer.text}`)
  }
}

export const listTable = (costs: ListCost[], few: number, many: number): string =>
  costs
    .map(({ name, few: at, many: then }) => {
      const ratio = ((then.reads + then.writes) / (at.reads + at.writes)).toFixed(2)
      return `${name}: ${at.reads} read units at ${few} rows, ${then.reads} at ${many} rows: ${ratio} ×`
    })
    .join('\n')
