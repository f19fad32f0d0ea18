import { afterEach, describe, expect, it, vi } from 'vitest'
import { handler } from '#functions/api/overview/get-overview.ts'
import { clock, dayMicros, timestamp } from '#shared/core/clock.ts'
import { apiTokens } from '#shared/domain/api-tokens/api-token.ts'
import { clientTokens } from '#shared/domain/client-tokens/client-token.ts'
import { directories } from '#shared/domain/directories/directory.ts'
import { gateways } from '#shared/domain/gateways/gateway.ts'
import { policies } from '#shared/domain/policies/policy.ts'
import { postureProviders } from '#shared/domain/posture-providers/posture-provider.ts'
import { sites } from '#shared/domain/sites/site.ts'
import { brakeError } from '#shared/domain/sync/sync-state.ts'
import { readAccountVersion } from '#shared/table/account-version.ts'
import type { Key } from '#shared/table/keys.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { apiTokensApi, newApiClient, withScopes } from '#test/support/accounts/api-tokens.ts'
import { groupsApi, policiesApi, postureProvidersApi, sitesApi } from '#test/support/accounts/collections.ts'
import { openPolicy } from '#test/support/accounts/row-fields.ts'
import { insertRow, updateRow } from '#test/support/accounts/rows.ts'
import { flowReport, newFlowAccount } from '#test/support/logs/flow-account.ts'
import { directoriesApi, storedDirectory } from '#test/support/sync/directories.ts'
import { mdmFields, storedProvider } from '#test/support/sync/posture-providers.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'
import { plantRows } from '#test/support/table/plant-rows.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const overview = async (account: Account) => {
  const { status, body } = await account.call(handler)
  expect(status).toBe(200)
  return body.data
}
const inDays = (days: number) => timestamp(clock.now() + days * dayMicros)

describe('GET /overview', () => {
  it('counts objects, online gateways and sites without one (K11.G5)', async () => {
    const world = await newAccessWorld()
    const { account, site } = world
    const london = (await sitesApi.create(account, { name: 'London' })).body.data
    await world.addGateway()
    await insertRow(account.id, gateways, { site_id: london.id, name: 'x', ipv4: '100.64.9.9', ipv6: 'fd00::9' })
    await world.addResource({ name: 'Docs', site_id: london.id })
    const before = clock.now()
    const data = await overview(account)
    const { counts } = await readAccountVersion(account.id)
    expect(data.counts).toEqual({
      actors: counts.actors,
      groups: 2,
      resources: 3,
      policies: 1,
      sites: 4,
      gateways: 2,
      clients: 0,
    })
    expect(data.gateways_online).toBe(1)
    // Berlin is online. The Internet Site has no gateway, so it is not in use.
    expect(data.sites_without_gateway).toEqual({
      count: 2,
      items: [
        { id: expect.any(String), name: 'Default', resources: 0 },
        { id: london.id, name: 'London', resources: 1 },
      ],
    })
    expect(data.sites_without_gateway.items).not.toContainEqual(expect.objectContaining({ id: site.id }))
    expect([data.orphaned_policies, data.sources, data.refusals, data.truncated]).toEqual([0, [], 0, []])
    expect(data.as_of >= timestamp(before)).toBe(true)
  })

  it('counts the Internet Site once it has a gateway that is offline', async () => {
    const account = await newAccount()
    const all = (await sitesApi.list(account)).body.data
    const internet = all.find(({ name }: { name: string }) => name === 'Internet')
    await insertRow(account.id, gateways, { site_id: internet.id, name: 'x', ipv4: '100.64.9.9', ipv6: 'fd00::9' })
    const { sites_without_gateway: found } = await overview(account)
    expect(found.items).toContainEqual({ id: internet.id, name: 'Internet', resources: 1 })
  })

  it('names sources that fail, and why', async () => {
    const account = await newAccount()
    const idp = async (changes: object) => {
      const { id } = (await directoriesApi.idp.create(account)).body.data
      const row = await storedDirectory(account, 'idp', id)
      return updateRow(account.id, directories.idp, row, changes)
    }
    const brake = brakeError(5, 5, 'identities')
    const off = { is_disabled: true, disabled_reason: 'sync error' }
    const first_failed_at = '2026-03-01T12:00:00.000000Z'
    await idp({})
    const failing = await idp({ error: 'timed out', error_count: 1, first_failed_at })
    const failed = await idp({ ...off, error: 'consent is missing', first_failed_at })
    const braked = await idp({ ...off, error: brake, first_failed_at })
    const rewound = await idp({ is_disabled: true, disabled_reason: 'rewound' })
    const disabled = await idp({ is_disabled: true, error: 'timed out', first_failed_at })
    const { id } = (await postureProvidersApi.create(account, mdmFields())).body.data
    const fleet = await updateRow(account.id, postureProviders, await storedProvider(account, id), {
      is_disabled: true,
    })
    const source = (row: { id: string; name: string }, state: string, error: string | null, since: string) => ({
      object: 'idp_directories',
      id: row.id,
      name: row.name,
      state,
      error,
      since,
    })
    const expected = [
      source(failing, 'failed', 'timed out', first_failed_at),
      source(failed, 'failed', 'consent is missing', first_failed_at),
      source(braked, 'braked', brake, first_failed_at),
      source(rewound, 'rewound', null, rewound.updated_at),
      source(disabled, 'disabled', 'timed out', disabled.updated_at),
      { ...source(fleet, 'disabled', null, fleet.updated_at), object: 'mdm_posture_providers' },
    ]
    expect((await overview(account)).sources).toEqual(expected)
    const ofDirectories = await overview(await withScopes(account, 'directories:read'))
    expect(ofDirectories.sources).toEqual(expected.slice(0, 5))
    expect((await overview(await withScopes(account, 'mdm:read'))).sources).toEqual(expected.slice(5))
  })

  it('lists tokens that end within 14 days, the first to end first, without those of sign-ins', async () => {
    const world = await newAccessWorld()
    const { account, actor } = world
    const client = await newApiClient(account)
    const add = async (name: string, days: number) =>
      (await apiTokensApi.create(account, client, { name, expires_at: inDays(days) })).body.data
    const [later, soon] = [await add('later', 13.9), await add('soon', 1)]
    await add('much later', 14.1)
    const device = await world.addToken(actor, inDays(5))
    const fields = { actor_id: actor.id, secret_hash: 'x' }
    await insertRow(account.id, clientTokens, { ...fields, auth_provider_id: client, expires_at: inDays(2) })
    await insertRow(account.id, apiTokens, { ...fields, name: 'past', scopes: ['*'], expires_at: inDays(-1) })
    const { expiring, truncated } = await overview(account)
    expect(expiring).toEqual([
      { object: 'api_tokens', id: soon.id, actor_id: client, name: 'soon', expires_at: soon.expires_at },
      { object: 'client_tokens', id: device.id, actor_id: actor.id, name: null, expires_at: expect.any(String) },
      { object: 'api_tokens', id: later.id, actor_id: client, name: 'later', expires_at: later.expires_at },
    ])
    expect(truncated).toEqual([])
    expect(JSON.stringify(expiring)).not.toContain('secret')
  })

  it('counts orphaned policies with no additional write', async () => {
    const world = await newAccessWorld()
    const { account, group, resource } = world
    const second = (await groupsApi.create(account, { name: 'Second' })).body.data
    await policiesApi.create(account, { group_id: second.id, resource_id: resource.id })
    expect((await overview(account)).orphaned_policies).toBe(0)
    await groupsApi.remove(account, group.id)
    expect((await overview(account)).orphaned_policies).toBe(1)
    const orphan = (await policiesApi.list(account)).body.data.find((one: { group_id: null }) => one.group_id === null)
    const other = await world.addResource()
    const written = new Set<string>()
    interceptTable((command, send) => {
      const { TransactItems = [] } = command.input as { TransactItems?: Record<string, { Item?: Key; Key?: Key }>[] }
      for (const write of TransactItems.flatMap(Object.values)) written.add(String((write.Item ?? write.Key)?.pk))
      return send(command)
    })
    await policiesApi.update(account, orphan.id, { group_id: second.id, resource_id: other.id })
    vi.restoreAllMocks()
    // The counter is in the account version, which every commit writes.
    const parts = [...written].map((pk) => pk.split('#')[1])
    expect([...new Set(parts)].sort()).toEqual([
      'commits',
      'policies',
      'policies.group_id',
      'policies.resource_id',
      'unique.policies.grant',
      'version',
    ])
    expect((await overview(account)).orphaned_policies).toBe(0)
    await groupsApi.remove(account, second.id)
    expect((await overview(account)).orphaned_policies).toBe(2)
    await policiesApi.remove(account, orphan.id)
    expect((await overview(account)).orphaned_policies).toBe(1)
    await insertRow(account.id, policies, { ...openPolicy, group_id: null, resource_id: resource.id })
    expect((await overview(account)).orphaned_policies).toBe(2)
  })

  it('is null where the scopes cannot read, and needs no scope', async () => {
    const { account } = await newAccessWorld()
    const nothing = {
      as_of: expect.any(String),
      counts: {
        actors: null,
        groups: null,
        resources: null,
        policies: null,
        sites: null,
        gateways: null,
        clients: null,
      },
      gateways_online: null,
      sites_without_gateway: null,
      sources: null,
      expiring: null,
      orphaned_policies: null,
      flows: null,
      refusals: null,
      truncated: [],
    }
    expect(await overview(await withScopes(account, 'v0:read'))).toEqual(nothing)
    expect(await overview(await withScopes(account, 'gateways:write'))).toEqual({
      ...nothing,
      counts: { ...nothing.counts, gateways: 0 },
      gateways_online: 0,
    })
    expect((await overview(await withScopes(account, 'sites:read'))).sites_without_gateway).toBe(null)
    const some = await overview(await withScopes(account, 'sites:read', 'gateways:read'))
    expect(some.sites_without_gateway.items).toContainEqual({ id: expect.any(String), name: 'Berlin', resources: null })
    expect((await overview(await withScopes(account, 'logs:read'))).flows).toEqual({
      responder: 0,
      initiator: 0,
      exact: true,
    })
    expect((await overview(await withScopes(account, 'policies:read'))).orphaned_policies).toBe(0)
    const all = await overview(await withScopes(account, '*:read'))
    for (const name of Object.keys(nothing)) expect(all[name], name).not.toBe(null)
  })

  it('names the members that are cut, and has at most 20 items', async () => {
    const account = await newAccount()
    await plantRows(account.id, sites, 21, (i) => ({ name: `Site ${i}`, managed_by: 'account' as const }), [])
    await plantRows(
      account.id,
      apiTokens,
      21,
      (i) => ({ actor_id: account.admin.id, name: `CI ${i}`, scopes: ['*'], secret_hash: 'x', expires_at: inDays(3) }),
      [],
    )
    const data = await overview(account)
    expect([data.sites_without_gateway.count, data.sites_without_gateway.items.length]).toEqual([22, 20])
    expect(data.expiring.length).toBe(20)
    expect(data.truncated).toEqual(['sites_without_gateway', 'expiring'])
  })

  it('reads at most 1,000 gateways and 1,000 tokens', async () => {
    const account = await newAccount()
    const [site] = (await sitesApi.list(account)).body.data
    await plantRows(
      account.id,
      gateways,
      1_001,
      (i) => ({ site_id: site.id, name: `g${i}`, ipv4: `100.64.${i >> 8}.${i & 255}`, ipv6: `fd00::${i}` }),
      [],
    )
    const token = { actor_id: account.admin.id, secret_hash: 'x', expires_at: inDays(300) }
    await plantRows(account.id, clientTokens, 1_100, () => ({ ...token, auth_provider_id: null }), [])
    await overview(account)
    let data: Awaited<ReturnType<typeof overview>>
    const { reads } = await measure(async () => {
      data = await overview(account)
    })
    expect(data.truncated).toEqual(['gateways_online', 'sites_without_gateway', 'expiring'])
    expect(data.counts.gateways).toBe(1_001)
    expect(reads).toBeLessThanOrEqual(40 + 3 * 1_000 + 1_000 / 10)
  })
})

it('states that the flows of the last 24 hours are not exact while reports are not flushed', async () => {
  const account = await newAccount()
  expect((await overview(account)).flows).toEqual({ responder: 0, initiator: 0, exact: true })
  const { store } = await newFlowAccount(account.id)
  await store(clock.now(), flowReport(clock.now() - 60_000_000))
  vi.restoreAllMocks()
  expect((await overview(account)).flows).toEqual({ responder: 0, initiator: 0, exact: false })
})

it('takes at most 40 read units with 20 sites without a gateway', async () => {
  const world = await newAccessWorld()
  await plantRows(
    world.account.id,
    sites,
    98,
    (i) => ({ name: `Site number ${i}`, managed_by: 'account' as const }),
    [],
  )
  await overview(world.account)
  const { reads } = await measure(() => overview(world.account))
  expect(reads).toBeLessThanOrEqual(40)
})
