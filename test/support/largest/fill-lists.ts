import { randomUUID } from 'node:crypto'
import { handler as updateConfiguration } from '#functions/v0/configuration/update-v0-configuration.ts'
import { actors } from '#shared/domain/actors/actor.ts'
import { apiTokens } from '#shared/domain/api-tokens/api-token.ts'
import { authProviders, providerKinds } from '#shared/domain/auth-providers/auth-provider.ts'
import { clientTokens } from '#shared/domain/client-tokens/client-token.ts'
import { clients } from '#shared/domain/clients/client.ts'
import { directories, directoryKinds } from '#shared/domain/directories/directory.ts'
import { externalIdentities } from '#shared/domain/external-identities/external-identity.ts'
import { gatewayTokens } from '#shared/domain/gateway-tokens/gateway-token.ts'
import { gateways } from '#shared/domain/gateways/gateway.ts'
import { groups } from '#shared/domain/groups/group.ts'
import { deviceFields, mdmDevices } from '#shared/domain/mdm-devices/mdm-device.ts'
import { memberships } from '#shared/domain/memberships/membership.ts'
import { policies } from '#shared/domain/policies/policy.ts'
import { poolMembers } from '#shared/domain/pool-members/pool-member.ts'
import { portalSessions } from '#shared/domain/portal-sessions/portal-session.ts'
import { postureProviders } from '#shared/domain/posture-providers/posture-provider.ts'
import { resources } from '#shared/domain/resources/resource.ts'
import { presenceItem } from '#shared/domain/sessions/presence.ts'
import { sites } from '#shared/domain/sites/site.ts'
import { directoryPlan } from '#shared/sync/directories/directory-plan.ts'
import { inventoryPlan } from '#shared/sync/inventories/inventory-plan.ts'
import { PlanWriter } from '#shared/sync/runs/plan.ts'
import type { RunWork } from '#shared/sync/runs/run-work.ts'
import type { Entity, Row } from '#shared/table/entity.ts'
import { v0Devices } from '#shared/v0/device.ts'
import { v0Rules } from '#shared/v0/rule.ts'
import { v0Users } from '#shared/v0/user.ts'
import { maxLimit } from '#shared/values/page.ts'
import { publicKey } from '../access/public-key.ts'
import type { Account } from '../accounts/account.ts'
import { newV0Device, newV0User } from '../accounts/v0.ts'
import { newInventoryWorld } from '../sync/inventory-runs.ts'
import { newSyncWorld, plantRun } from '../sync/sync-runs.ts'
import { plantIds, plantItems } from '../table/plant-rows.ts'

const moreThanTen = 12
/** Number of maximum-size rows that exceed one response. */
const moreThanAnswer = 20

/** Number of runs, or of changes in a run, that exceed one response when each has about 70 KB. */
const runCount = 90

/** Returns a string whose characters take six bytes each in JSON, and seven in the body of a Lambda result. */
export const widest = (characters: number): string => '\u0001'.repeat(characters)

/**
 * A filled list: its query parameters and the expected ids in order. The default `limit` is 10. `scans` are queries with filters without an
 * index, whose `total` is null. `hasTotal` is false for a list without a total.
 */
export type FilledList = {
  params?: Query
  queries?: Query[]
  scans?: Query[]
  limit?: number
  hasTotal?: boolean
  ids: string[]
}
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

/** Fills a list with `count` rows, or with more than one response of rows that are always large. */
type Plan = (account: Account, plant: Plant, count: number) => Promise<FilledList>
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
  portal_scopes: null,
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
/** Text of 255 characters that take the most bytes in a response before Lambda escapes it. */
const emojis = '\u{1f600}'.repeat(255)
const client = (actor_id: string) => (i: number) => ({
  actor_id,
  name: emojis,
  ipv4: `100.64.1.${i}`,
  ipv6: `fd00::${i}`,
  svc_id: uniqueText(i, 255),
  hostname: emojis,
  device_serial: emojis,
  device_uuid: emojis,
  identifier_for_vendor: emojis,
  push_installation_id: emojis,
  os_name: emojis,
  os_version: emojis,
  verified_at: null,
})

/** Stores the largest presence of each device, whose user agent has the characters of a header that take the most bytes. */
const plantPresences = (account: string, kind: 'clients' | 'gateways', ids: string[]) =>
  plantItems(
    ids.map((id) =>
      presenceItem(account, kind, id, {
        session_id: id,
        lease_expires_at: 4_000_000_000_000_000,
        token_id: id,
        public_key: publicKey(),
        tested: 'tested',
        last_seen_at: '2026-01-01T00:00:00.000000Z',
        last_seen_version: '"'.repeat(64),
        last_seen_user_agent: '"'.repeat(255),
        last_seen_remote_ip: '2001:db8:1111:2222:3333:4444:5555:6666',
        last_seen_remote_ip_location_region: 'DE',
        last_seen_remote_ip_location_city: 'Ü'.repeat(60),
        last_seen_remote_ip_location_lat: -52.520_008,
        last_seen_remote_ip_location_lon: -113.404_954,
      }),
    ),
  )

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
  'GET /actors': async (_, plant, count): Promise<FilledList> => ({
    ids: await plant(actors, count, actor, ['type']),
    queries: [{}, { type: 'account_user' }],
    scans: [{ is_disabled: 'false', type: 'account_user' }],
  }),
  'GET /groups/{group_id}/memberships': async (_, plant, count) => {
    const [group_id = ''] = await plant(groups, 1, group, [])
    const ids = await plant(actors, count, (i) => ({ ...actor(i), email: null }), [])
    await plant(memberships, count, (i) => ({ group_id, actor_id: ids[i] }))
    return { params: { group_id }, ids }
  },
  'GET /groups': async (_, plant, count): Promise<FilledList> => ({
    ids: await plant(groups, count, group, ['entity_type']),
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
    return { ids, limit: maxLimit, queries: [{}, { resource_id }], scans: [{ resource_id, orphaned: 'false' }] }
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
    return { ids, limit: maxLimit, queries: [{ site_id }, { site_id, type: 'dns' }] }
  },
  'GET /resources/{resource_id}/pool_members': async ({ id }, plant, count) => {
    const fields = { name: 'Pool', type: 'static_device_pool', address: null, filters: [], site_id: null }
    const [resource_id = ''] = await plant(resources, 1, () => fields, [])
    const ids = await plant(clients, count, client(randomUUID()), [])
    await plantPresences(id, 'clients', ids)
    await plant(poolMembers, count, (i) => ({ resource_id, device_id: ids[i] }))
    return { params: { resource_id }, ids }
  },
  'GET /sites': async (_, plant, count) => ({
    ids: await plant(sites, count, (i) => ({ name: uniqueText(i, 64), managed_by: 'account' }), []),
  }),
  'GET /sites/{site_id}/gateways': async ({ id }, plant, count) => {
    const [site_id = ''] = await plant(sites, 1, () => ({ name: 'Gateways', managed_by: 'account' }), [])
    const address = (i: number) => ({ ipv4: `100.65.0.${i}`, ipv6: `fd00::1:${i}` })
    const ids = await plant(gateways, count, (i) => ({ site_id, name: widest(255), ...address(i) }), ['site_id'])
    await plantPresences(id, 'gateways', ids)
    return { params: { site_id }, ids }
  },
  'GET /gateways': async ({ id }, plant, count) => {
    const site_id = randomUUID()
    const address = (i: number) => ({ ipv4: `100.66.0.${i}`, ipv6: `fd00::2:${i}` })
    const ids = await plant(gateways, count, (i) => ({ site_id, name: widest(255), ...address(i) }), ['site_id'])
    await plantPresences(id, 'gateways', ids)
    return { ids, queries: [{ site_id }], scans: [{ site_id, online: 'false' }] }
  },
  'GET /actors/{actor_id}/groups': async (_, plant, count) => {
    const [actor_id = ''] = await plant(actors, 1, () => ({ ...actor(0), email: null, type: 'service_account' }), [])
    const ids = await plant(groups, count, (i) => group(1_000 + i), [])
    await plant(memberships, count, (i) => ({ group_id: ids[i], actor_id }))
    return { params: { actor_id }, ids, hasTotal: false }
  },
  'GET /clients': async ({ id }, plant, count) => {
    const ids = await plant(clients, count, client(randomUUID()), [])
    await plantPresences(id, 'clients', ids)
    return { ids, scans: [{ online: 'true' }] }
  },
  'GET /actors/{actor_id}/client_tokens': async (_, plant, count) => {
    const [actor_id = ''] = await plant(actors, 1, () => ({ ...actor(0), email: null, type: 'service_account' }), [])
    const token = { actor_id, auth_provider_id: null, expires_at: '2099-01-01T00:00:00.000000Z' }
    return { params: { actor_id }, ids: newestFirst(await plant(clientTokens, count, () => token)) }
  },
  'GET /actors/{actor_id}/portal_sessions': async (_, plant, count) => {
    const [actor_id = ''] = await plant(actors, 1, () => ({ ...actor(0), email: null, type: 'service_account' }), [])
    const session = { actor_id, auth_provider_id: randomUUID(), expires_at: '2099-01-01T00:00:00.000000Z' }
    return {
      ...{ params: { actor_id }, hasTotal: false },
      ids: newestFirst(await plant(portalSessions, count, () => session)),
    }
  },
  'GET /sites/{site_id}/gateway_tokens': async (_, plant, count) => {
    const [site_id = ''] = await plant(sites, 1, () => ({ name: randomUUID() }), [])
    const gateway_id = randomUUID()
    const ids = newestFirst(await plant(gatewayTokens, count, () => ({ site_id, gateway_id, rotated_at: null })))
    return { params: { site_id }, queries: [{ gateway_id }], ids, hasTotal: false }
  },
  'GET /actors/{actor_id}/api_tokens': async ({ apiClient }, plant, count) => {
    const scopes = Array.from({ length: 100 }, () => 'external_identities:write')
    const token = { actor_id: apiClient.id, name: widest(255), scopes, expires_at: '2099-01-01T00:00:00.000000Z' }
    return { params: { actor_id: apiClient.id }, ids: newestFirst(await plant(apiTokens, count, () => token)) }
  },
  'GET /actors/{actor_id}/external_identities': async ({ id: account_id }, plant, count) => {
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
    return { params: { actor_id }, ids: newestFirst(await plant(externalIdentities, count, row, ['actor_id'])) }
  },
  ...Object.fromEntries(
    providerKinds.map((kind): [string, Plan] => [
      `GET /${kind}_auth_providers`,
      async ({ id: account_id }, plant, count) => {
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
        return { ids: newestFirst(await plant(authProviders[kind], count, row, [])) }
      },
    ]),
  ),
  ...Object.fromEntries(
    directoryKinds.map((kind): [string, Plan] => [
      `GET /${kind}_directories`,
      async ({ id: account_id }, plant, count) => {
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
        return { ids: newestFirst(await plant(directories[kind], count, row, [])) }
      },
    ]),
  ),
  ...Object.fromEntries(
    directoryKinds.map((kind): [string, Plan] => [
      `GET /${kind}_directories/{id}/runs`,
      async (account) => {
        const world = await newSyncWorld(kind, account)
        return { limit: maxLimit, params: { id: world.id }, ids: await largestRuns(world) }
      },
    ]),
  ),
  'GET /mdm_posture_providers/{id}/runs': async (account) => {
    const world = await newInventoryWorld(account)
    return { limit: maxLimit, params: { id: world.id }, ids: await largestRuns(world) }
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
        return { limit: maxLimit, params: { id: world.id, run_id: run.id }, ids: names }
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
    return { limit: maxLimit, params: { id: world.id, run_id: run.id }, ids: names }
  },
  'GET /mdm_posture_providers': async ({ id: account_id }, plant, count) => {
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
    return { ids: newestFirst(await plant(postureProviders, count, row)) }
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
    return { limit: maxLimit, ids: await plant(mdmDevices, moreThanAnswer, row, []) }
  },
  'GET /v0/users': async (account, plant, count) => {
    const { password_hash: _, ...sample } = { password_hash: null, ...(await newV0User(account)) }
    return {
      ids: await plant(v0Users, count, (i) => ({ ...sample, password_hash: null, email: uniqueText(i, 255) }), []),
    }
  },
  'GET /v0/rules': async (_, plant, count) => {
    const row = (i: number) => ({
      action: 'accept',
      destination: `fd00::${i}/128`,
      port_type: 'tcp',
      port_range: '1 - 65535',
      user_id: null,
    })
    return { ids: await plant(v0Rules, count, row, []) }
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

export const fillList = (name: string, account: Account, count = moreThanTen): Promise<FilledList> => {
  const plan = plans[name]
  if (!plan) throw new Error(`There is no plan to fill ${name}.`)
  const plant: Plant = (entity, count, fields, indexes) =>
    plantIds(account.id, entity, count, fields as (i: number) => never, indexes)
  return plan(account, plant, count)
}
