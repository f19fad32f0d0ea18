import { randomUUID } from 'node:crypto'
import { handler as updateConfiguration } from '#functions/v0/configuration/update-v0-configuration.ts'
import { actors } from '#shared/domain/actors/actor.ts'
import { apiTokens } from '#shared/domain/api-tokens/api-token.ts'
import { authProviders, providerKinds } from '#shared/domain/auth-providers/auth-provider.ts'
import { clientTokens } from '#shared/domain/client-tokens/client-token.ts'
import { clients } from '#shared/domain/clients/client.ts'
import { directories, directoryKinds } from '#shared/domain/directories/directory.ts'
import { externalIdentities } from '#shared/domain/external-identities/external-identity.ts'
import { gateways } from '#shared/domain/gateways/gateway.ts'
import { groups } from '#shared/domain/groups/group.ts'
import { deviceFields, mdmDevices } from '#shared/domain/mdm-devices/mdm-device.ts'
import { memberships } from '#shared/domain/memberships/membership.ts'
import { policies } from '#shared/domain/policies/policy.ts'
import { poolMembers } from '#shared/domain/pool-members/pool-member.ts'
import { postureProviders } from '#shared/domain/posture-providers/posture-provider.ts'
import { resources } from '#shared/domain/resources/resource.ts'
import { sites } from '#shared/domain/sites/site.ts'
import { directoryPlan } from '#shared/sync/directories/directory-plan.ts'
import { inventoryPlan } from '#shared/sync/inventories/inventory-plan.ts'
import { PlanWriter } from '#shared/sync/runs/plan.ts'
import type { RunWork } from '#shared/sync/runs/run-work.ts'
import type { Entity, Row } from '#shared/table/entity.ts'
import { v0Devices } from '#shared/v0/device.ts'
import { v0Rules } from '#shared/v0/rule.ts'
import { v0Users } from '#shared/v0/user.ts'
import type { Account } from '../accounts/account.ts'
import { newV0Device, newV0User } from '../accounts/v0.ts'
import { newInventoryWorld } from '../sync/inventory-runs.ts'
import { newSyncWorld, plantRun } from '../sync/sync-runs.ts'
import { plantIds } from '../table/plant-rows.ts'

const moreThanTen = 12
/** Number of maximum-size rows that exceed one response. */
const moreThanAnswer = 20

/** Number of runs, or of changes in a run, that exceed one response when each has about 70 KB. */
const runCount = 90

/** Returns a string whose characters take six bytes each in JSON, and seven in the body of a Lambda result. */
export const widest = (characters: number): string => '\u0001'.repeat(characters)

/** A filled list: its query parameters and the expected ids in order. The default `limit` is 10. */
export type FilledList = { params?: Query; queries?: Query[]; limit?: number; ids: string[] }
type Query = Record<string, string>

/** Returns conditions of the maximum stored size (262,144 bytes of JSON) that are always met. */
export function largestConditions() {
  const always = [...'UMTWRFS'].map((day) => `${day}/true/UTC`)
  // Uses a few long ranges, which can be evaluated quickly.
  const range = `00:00:00.${'0'.repeat(500)}-23:59:59.${'0'.repeat(500)}`
  const long = `M/${Array.from({ length: 256 }, () => range).join(',')}/UTC`
  return [{ property: 'current_utc_datetime', operator: 'is_in_day_of_week_time_ranges', values: [...always, long] }]
}

const widestDevice = Object.fromEntries(
  [...deviceFields].flatMap(([name, kind]) => (kind === 'text' ? [[name, widest(1_024)]] : [])).slice(0, 32),
)

const skippedEntry = { idp_id: widest(100), name: widest(100), reason: 'changed_since' }
const runFields = { error: widest(1_000), skipped_sample: Array(50).fill(skippedEntry) }

const uniqueText = (i: number, length: number): string => String(i).padEnd(length, '\u0001')

type Plan = (account: Account, plant: Plant) => Promise<FilledList>
type Plant = <R extends Row>(
  entity: Entity<R>,
  count: number,
  fields: (i: number) => object,
  indexes?: string[],
) => Promise<string[]>

const actor = (i: number) => ({
  name: widest(255),
  email: `${i}@${'e'.repeat(63)}.example.com`,
  type: 'account_user',
  allow_email_otp_sign_in: false,
  created_by_directory_id: randomUUID(),
  is_disabled: false,
})
const group = (i: number) => ({
  name: uniqueText(i, 255),
  entity_type: 'group',
  directory_id: randomUUID(),
  idp_id: widest(255),
  email: widest(160),
  synced_at: null,
  is_managed: false,
})
const client = (actor_id: string) => (i: number) => ({
  actor_id,
  name: widest(255),
  ipv4: `100.64.1.${i}`,
  ipv6: `fd00::${i}`,
  svc_id: uniqueText(i, 255),
  hostname: widest(255),
  device_serial: widest(255),
  device_uuid: widest(255),
  identifier_for_vendor: widest(255),
  push_installation_id: widest(255),
  os_name: widest(255),
  os_version: widest(255),
  verified_at: null,
})
const healthy = { is_disabled: false, synced_at: null, error_count: 0, error_emailed_at: null }
const trouble = { disabled_reason: widest(255), error: widest(255) }

/** Inserts runs of maximum size, and returns their ids, newest first. */
async function largestRuns(world: Parameters<typeof plantRun>[0]): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < runCount; i++) ids.unshift((await plantRun(world, runFields)).id)
  return ids
}

const newestFirst = (ids: string[]): string[] => ids.toReversed()

/** Functions that fill each list with the largest rows that valid input allows, keyed by operation. */
export const plans: Record<string, Plan> = {
  'GET /actors': async (_, plant): Promise<FilledList> => ({
    ids: await plant(actors, moreThanTen, actor, ['type']),
    queries: [{}, { type: 'account_user' }],
  }),
  'GET /groups/{group_id}/memberships': async (_, plant) => {
    const [group_id = ''] = await plant(groups, 1, group, [])
    const ids = await plant(actors, moreThanTen, (i) => ({ ...actor(i), email: null }), [])
    await plant(memberships, moreThanTen, (i) => ({ group_id, actor_id: ids[i] }))
    return { params: { group_id }, ids }
  },
  'GET /groups': async (_, plant): Promise<FilledList> => ({
    ids: await plant(groups, moreThanTen, group, ['entity_type']),
    queries: [{}, { entity_type: 'group' }],
  }),
  'GET /policies': async (_, plant): Promise<FilledList> => {
    const resource_id = randomUUID()
    const ids = await plant(policies, moreThanAnswer, () => ({
      group_id: randomUUID(),
      group_idp_id: null,
      resource_id,
      description: '"'.repeat(1024),
      conditions: largestConditions(),
      flow_log_uploads_enabled: true,
      is_disabled: false,
    }))
    return { ids, limit: 100, queries: [{}, { resource_id }] }
  },
  'GET /resources': async (_, plant): Promise<FilledList> => {
    const site_id = randomUUID()
    const ports = Array.from({ length: 187 }, () => '1 - 65535')
    const ids = await plant(resources, moreThanAnswer, () => ({
      name: 'Everything',
      type: 'dns',
      address: 'all.example.com',
      address_description: '"'.repeat(1024),
      filters: Array.from({ length: 100 }, () => ({ protocol: 'tcp', ports })),
      ip_stack: 'dual',
      site_id,
    }))
    return { ids, limit: 100, queries: [{ site_id }, { site_id, type: 'dns' }] }
  },
  'GET /resources/{resource_id}/pool_members': async (_, plant) => {
    const fields = { name: 'Pool', type: 'static_device_pool', address: null, filters: [], site_id: null }
    const [resource_id = ''] = await plant(resources, 1, () => fields, [])
    const ids = await plant(clients, moreThanTen, client(randomUUID()), [])
    await plant(poolMembers, moreThanTen, (i) => ({ resource_id, device_id: ids[i] }))
    return { params: { resource_id }, ids }
  },
  'GET /sites': async (_, plant) => ({
    ids: await plant(sites, moreThanTen, (i) => ({ name: uniqueText(i, 64), managed_by: 'account' }), []),
  }),
  'GET /sites/{site_id}/gateways': async (_, plant) => {
    const [site_id = ''] = await plant(sites, 1, () => ({ name: 'Gateways', managed_by: 'account' }), [])
    const address = (i: number) => ({ ipv4: `100.65.0.${i}`, ipv6: `fd00::1:${i}` })
    const ids = await plant(gateways, moreThanTen, (i) => ({ site_id, name: widest(255), ...address(i) }), ['site_id'])
    return { params: { site_id }, ids }
  },
  'GET /clients': async (_, plant) => ({ ids: await plant(clients, moreThanTen, client(randomUUID()), []) }),
  'GET /actors/{actor_id}/client_tokens': async (_, plant) => {
    const [actor_id = ''] = await plant(actors, 1, () => ({ ...actor(0), email: null, type: 'service_account' }), [])
    const token = { actor_id, auth_provider_id: null, expires_at: '2099-01-01T00:00:00.000000Z' }
    return { params: { actor_id }, ids: newestFirst(await plant(clientTokens, moreThanTen, () => token)) }
  },
  'GET /actors/{actor_id}/api_tokens': async ({ apiClient }, plant) => {
    const scopes = Array.from({ length: 100 }, () => 'external_identities:write')
    const token = { actor_id: apiClient.id, name: widest(255), scopes, expires_at: '2099-01-01T00:00:00.000000Z' }
    return { params: { actor_id: apiClient.id }, ids: newestFirst(await plant(apiTokens, moreThanTen, () => token)) }
  },
  'GET /actors/{actor_id}/external_identities': async ({ id: account_id }, plant) => {
    const [actor_id = ''] = await plant(actors, 1, () => ({ ...actor(0), email: null }), [])
    const details = [
      ...['email', 'name', 'given_name', 'middle_name', 'family_name', 'nickname', 'preferred_username'],
      ...['picture', 'profile', 'svc_avatar_url'],
    ].map((name) => [name, widest(255)])
    const row = (i: number) => ({
      ...Object.fromEntries(details),
      actor_id,
      account_id,
      issuer: uniqueText(i, 255),
      directory_id: randomUUID(),
      idp_id: widest(255),
      synced_at: null,
    })
    return { params: { actor_id }, ids: newestFirst(await plant(externalIdentities, moreThanTen, row, ['actor_id'])) }
  },
  ...Object.fromEntries(
    providerKinds.map((kind): [string, Plan] => [
      `GET /${kind}_auth_providers`,
      async ({ id: account_id }, plant) => {
        const row = (i: number) => ({
          account_id,
          name: uniqueText(i, 255),
          issuer: widest(2048),
          is_disabled: false,
          context: 'clients_and_portal',
          client_session_lifetime_secs: 7_776_000,
          portal_session_lifetime_secs: 86_400,
          is_default: false,
          client_id: widest(255),
          client_secret: widest(4096),
          discovery_document_uri: widest(2048),
          email_verification_method: 'claim',
          email_claim: 'preferred_username',
          idp_domain: widest(253),
        })
        return { ids: newestFirst(await plant(authProviders[kind], moreThanTen, row, [])) }
      },
    ]),
  ),
  ...Object.fromEntries(
    directoryKinds.map((kind): [string, Plan] => [
      `GET /${kind}_directories`,
      async ({ id: account_id }, plant) => {
        const row = (i: number) => ({
          account_id,
          name: uniqueText(i, 255),
          ...healthy,
          ...trouble,
          sync_requested_at: null,
          accept_deletions: false,
          domain: widest(253),
          impersonation_email: widest(160),
          group_sync_mode: 'filtered',
          orgunit_sync_enabled: false,
          client_id: widest(255),
          idp_domain: widest(253),
          kid: widest(64),
          tenant_id: widest(255),
          email_field: 'userPrincipalName',
          sync_all_groups: false,
        })
        return { ids: newestFirst(await plant(directories[kind], moreThanTen, row, [])) }
      },
    ]),
  ),
  ...Object.fromEntries(
    directoryKinds.map((kind): [string, Plan] => [
      `GET /${kind}_directories/{id}/runs`,
      async (account) => {
        const world = await newSyncWorld(kind, account)
        return { limit: 100, params: { id: world.id }, ids: await largestRuns(world) }
      },
    ]),
  ),
  'GET /mdm_posture_providers/{id}/runs': async (account) => {
    const world = await newInventoryWorld(account)
    return { limit: 100, params: { id: world.id }, ids: await largestRuns(world) }
  },
  ...Object.fromEntries(
    directoryKinds.map((kind): [string, Plan] => [
      `GET /${kind}_directories/{id}/runs/{run_id}/changes`,
      async (account) => {
        const world = await newSyncWorld(kind, account)
        const run = await plantRun(world, { sections: { users: runCount } })
        const plan = new PlanWriter({ run, isSaveDue: false } as RunWork, directoryPlan, [])
        const names = Array.from({ length: runCount }, (_, i) => uniqueText(i, 255))
        const texts = ['email', 'given_name', 'middle_name', 'family_name', 'nickname', 'preferred_username']
        const urls = ['picture', 'profile', 'svc_avatar_url']
        for (const name of names) {
          const profile = Object.fromEntries([
            ['name', name],
            ...texts.map((field) => [field, widest(255)]),
            ...urls.map((field) => [field, widest(2_048)]),
          ])
          await plan.add('users', { idp_id: widest(255), profile, over: null, actor: null, was: profile })
        }
        await plan.end()
        return { limit: 100, params: { id: world.id, run_id: run.id }, ids: names }
      },
    ]),
  ),
  'GET /mdm_posture_providers/{id}/runs/{run_id}/changes': async (account) => {
    const world = await newInventoryWorld(account)
    const run = await plantRun(world, { sections: { changed: moreThanAnswer } })
    const plan = new PlanWriter({ run, isSaveDue: false } as RunWork, inventoryPlan, [])
    const names = Array.from({ length: moreThanAnswer }, (_, i) => uniqueText(i, 1_024))
    for (const name of names)
      await plan.add('changed', {
        id: randomUUID(),
        mdm_id: widest(255),
        name,
        before: widestDevice,
        after: widestDevice,
      })
    await plan.end()
    return { limit: 100, params: { id: world.id, run_id: run.id }, ids: names }
  },
  'GET /mdm_posture_providers': async ({ id: account_id }, plant) => {
    const row = (i: number) => ({
      account_id,
      type: 'tenant',
      name: uniqueText(i, 255),
      tenant_id: widest(255),
      subdomain: widest(63),
      region: null,
      api_token: widest(4096),
      is_verified: false,
      ...healthy,
      ...trouble,
      sync_requested_at: null,
      accept_deletions: false,
    })
    return { ids: newestFirst(await plant(postureProviders, moreThanTen, row)) }
  },
  'GET /mdm_devices': async ({ id: account_id }, plant) => {
    const tags = Array.from({ length: 500 }, () => '"'.repeat(250))
    const row = (i: number) => ({
      account_id,
      posture_provider_id: randomUUID(),
      mdm_id: String(i),
      tags,
      synced_at: '2026-01-01T00:00:00.000000Z',
    })
    return { limit: 100, ids: await plant(mdmDevices, moreThanAnswer, row, []) }
  },
  'GET /v0/users': async (account, plant) => {
    const { password_hash: _, ...sample } = { password_hash: null, ...(await newV0User(account)) }
    return {
      ids: await plant(
        v0Users,
        moreThanTen,
        (i) => ({ ...sample, password_hash: null, email: uniqueText(i, 255) }),
        [],
      ),
    }
  },
  'GET /v0/rules': async (_, plant) => {
    const row = (i: number) => ({
      action: 'accept',
      destination: `fd00::${i}/128`,
      port_type: 'tcp',
      port_range: '1 - 65535',
      user_id: null,
    })
    return { ids: await plant(v0Rules, moreThanTen, row, []) }
  },
  'GET /v0/devices': async (account, plant) => {
    const { id: _id, inserted_at: _inserted, updated_at: _updated, ...sample } = await newV0Device(account, {})
    const long = { description: widest(2048), dns: widest(4096), use_default_dns: false }
    // Sets a long default value in the configuration, because device responses include it.
    const configuration = { default_client_allowed_ips: `192.0.2.1${'\v'.repeat(4087)}` }
    await account.call(updateConfiguration, { method: 'PATCH', body: { configuration } })
    const row = () => ({ ...sample, ...long })
    return { limit: 100, ids: await plant(v0Devices, 70, row, []) }
  },
}

export const fillList = (name: string, account: Account): Promise<FilledList> => {
  const plan = plans[name]
  if (!plan) throw new Error(`There is no plan to fill ${name}.`)
  const plant: Plant = (entity, count, fields, indexes) =>
    plantIds(account.id, entity, count, fields as (i: number) => never, indexes)
  return plan(account, plant)
}
