import { handler as createTenantProviderOfAnyKind } from '#functions/api/auth-providers/create-auth-provider.ts'
import { handler as listGroups } from '#functions/api/groups/list-groups.ts'
import { handler as listResources } from '#functions/api/resources/list-resources.ts'
import { actors } from '#shared/domain/actors/actor.ts'
import { clients } from '#shared/domain/clients/client.ts'
import { tunnelAddresses } from '#shared/domain/devices/allocate-address.ts'
import { groups, nativeGroup } from '#shared/domain/groups/group.ts'
import { memberships } from '#shared/domain/memberships/membership.ts'
import { policies } from '#shared/domain/policies/policy.ts'
import { resources } from '#shared/domain/resources/resource.ts'
import { sites } from '#shared/domain/sites/site.ts'
import { type Entity, type Row, type RowFields, uniqueItems } from '#shared/table/entity.ts'
import { withRoute } from '#test/support/accounts/account.ts'
import { bareClient } from '#test/support/table/plant-clients.ts'
import { plantItems, plantRows } from '#test/support/table/plant-rows.ts'
import type { Actor, Group, Resource } from '../models/account-model.ts'
import type { SimulatedAccount } from '../world/simulated-account.ts'
import { newClient, signIn } from './client-sessions.ts'
import { createGateway } from './gateway-sessions.ts'
import { randomConditions } from './random-conditions.ts'

const createTenantProvider = withRoute(createTenantProviderOfAnyKind, 'POST /tenant_auth_providers')

export const sizes = { sites: 12, gateways: 50, actors: 160, clients: 500, groups: 40, resources: 90, policies: 150 }

/** Writes rows and their unique items exactly as commits store them. */
async function insertRows<R extends Row>(
  { id }: SimulatedAccount,
  entity: Entity<R>,
  rows: RowFields<R>[],
): Promise<R[]> {
  const stored = await plantRows(id, entity, rows.length, (i) => rows[i] as RowFields<R>)
  await plantItems(stored.flatMap((row) => uniqueItems(entity, id, row)))
  return stored
}

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

/** Creates the same objects in an account and in its model. */
export async function populate(account: SimulatedAccount): Promise<void> {
  await adoptProvisioned(account)
  await addProviders(account)
  await addActors(account)
  await addGroups(account)
  await addSitesAndResources(account)
  await addPolicies(account)
  await addClients(account)
  const { model, random } = account
  const internetSite = [...model.resources.values()].find(({ type }) => type === 'internet')?.site as string
  for (let i = 0; i < sizes.gateways; i++) await createGateway(account, i < 3 ? internetSite : account.someSite())
  for (const actor of model.actors.values()) if (random.chance(0.6)) await signIn(account, actor)
  account.settle()
}

/** Adds the objects created by provisioning to the model (A32.1). */
async function adoptProvisioned(account: SimulatedAccount): Promise<void> {
  const { model } = account
  const [everyone] = await account.administer(listGroups, { query: { name: 'Everyone' } })
  model.groups.set(everyone.id, { id: everyone.id, managed: true, members: new Set() })
  for (const { id, name, type, address, filters, ip_stack, site_id } of await account.administer(listResources, {}))
    model.resources.set(id, { id, name, type, address, filters, stack: ip_stack, site: site_id })
}

async function addProviders(account: SimulatedAccount): Promise<void> {
  for (const name of ['north', 'south', 'east']) {
    const body = { tenant_auth_provider: { name, issuer: `https://tenants.example.com/${name}/v2.0` } }
    const { id } = await account.administer(createTenantProvider, { method: 'POST', body })
    account.model.providers.set(id, true)
  }
}

async function addActors(account: SimulatedAccount): Promise<void> {
  const types: Actor['type'][] = times(sizes.actors, (i) =>
    i < 100 ? 'account_user' : i < 106 ? 'account_admin_user' : i < 157 ? 'service_account' : 'api_client',
  )
  const rows = types.map((type, i) => ({
    name: 'Someone',
    email: type.startsWith('account_') ? `person${i}@example.com` : null,
    type,
    allow_email_otp_sign_in: false,
    portal_scopes: null,
    created_by_directory_id: null,
    is_disabled: false,
  }))
  for (const { id, type } of await insertRows(account, actors, rows))
    account.model.actors.set(id, { id, type, disabled: false })
}

async function addGroups(account: SimulatedAccount): Promise<void> {
  const { model, random } = account
  const rows = times(sizes.groups, (i) => ({ name: `Group ${i}`, ...nativeGroup }))
  const created: Group[] = (await insertRows(account, groups, rows)).map(({ id }, i) => ({
    id,
    managed: false,
    // Makes the first groups too large to be deleted in one commit.
    members: new Set(random.sample(model.actors.keys(), i < 3 ? 60 : random.int(1, 18))),
  }))
  for (const group of created) model.groups.set(group.id, group)
  const pairs = created.flatMap(({ id, members }) => [...members].map((actor_id) => ({ group_id: id, actor_id })))
  await insertRows(account, memberships, pairs)
}

async function addSitesAndResources(account: SimulatedAccount): Promise<void> {
  const { model } = account
  const rows = times(sizes.sites, (i) => ({ name: `Site ${i}`, managed_by: 'account' as const }))
  for (const { id } of await insertRows(account, sites, rows)) model.sites.add(id)
  const created = times(sizes.resources, (i) => ({
    name: `Host ${i}`,
    type: i === 0 ? ('static_device_pool' as const) : ('dns' as const),
    address: i === 0 ? null : `host-${i}.example.com`,
    address_description: null,
    filters: [],
    ip_stack: i === 0 ? null : ('dual' as const),
    site_id: i === 0 ? null : account.someSite(),
  }))
  for (const { id, name, type, address, ip_stack, site_id } of await insertRows(account, resources, created)) {
    const resource: Resource = { id, name, type, address, filters: [], stack: ip_stack, site: site_id }
    model.resources.set(id, resource)
  }
}

async function addPolicies(account: SimulatedAccount): Promise<void> {
  const { model, random } = account
  const [everyone] = model.groups.keys()
  const [internet] = model.resources.keys()
  const pairs = new Set([`${everyone}#${internet}`])
  while (pairs.size < sizes.policies) {
    const group = random.chance(0.08) ? everyone : random.pick([...model.groups.keys()])
    pairs.add(`${group}#${account.someResourceId()}`)
  }
  const rows = [...pairs].map((pair) => {
    const [group_id = '', resource_id = ''] = pair.split('#')
    return {
      group_id,
      group_idp_id: null,
      group_idp_provider: null,
      resource_id,
      description: null,
      conditions: randomConditions(random, [...model.providers.keys()]),
      flow_log_uploads_enabled: resource_id !== internet,
      is_disabled: random.chance(0.1),
    }
  })
  for (const { id, group_id, resource_id, conditions, is_disabled, flow_log_uploads_enabled } of await insertRows(
    account,
    policies,
    rows,
  )) {
    model.policies.set(id, {
      id,
      group: group_id,
      resource: resource_id,
      conditions,
      disabled: is_disabled,
      uploads: flow_log_uploads_enabled,
    })
  }
}

async function addClients(account: SimulatedAccount): Promise<void> {
  const { model } = account
  const holders = [...model.actors.values()].filter(({ type }) => type !== 'api_client')
  const rows = times(sizes.clients, (i) => ({
    actor_id: (holders[i % holders.length] as Actor).id,
    name: 'Laptop',
    svc_id: `installation ${Math.floor(i / holders.length)}`,
    ...bareClient,
    ...tunnelAddresses(i + 10),
  }))
  for (const { id, actor_id, svc_id, ipv4, ipv6 } of await insertRows(account, clients, rows)) {
    model.clients.set(id, newClient(account, { id, actor: actor_id, installation: svc_id, ipv4, ipv6 }))
  }
}
