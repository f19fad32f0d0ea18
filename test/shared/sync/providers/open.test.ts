import { randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { encryptSecret } from '#shared/core/secrets/stored-secret.ts'
import type { DirectoryRow } from '#shared/domain/directories/directory.ts'
import { newKeyPair } from '#shared/domain/directories/directory-keys.ts'
import type { PostureProviderRow } from '#shared/domain/posture-providers/posture-provider.ts'
import { openDirectory, openInventory } from '#shared/sync/providers/open.ts'
import { always } from '#test/fakes/faults.ts'
import { idpCompany, idpFake } from '#test/fakes/idp.ts'
import { managedDevicesFake } from '#test/fakes/managed-devices.ts'
import { mdmFake, mdmFleet } from '#test/fakes/mdm.ts'
import { suiteCompany, suiteFake } from '#test/fakes/suite.ts'
import { tenantCompany, tenantFake } from '#test/fakes/tenant.ts'
import { faultOf, walkGroups, walkUsers } from '#test/support/sync/read-directory.ts'

const account = '0191d9a4-5b67-7000-8000-000000000001'
const id = '0191d9a4-5b67-7000-8000-000000000002'
const owner = { accountId: account, objectId: id }
const keyFile = join(mkdtempSync(join(tmpdir(), 'secret-key-')), 'secret-key')
writeFileSync(keyFile, randomBytes(32).toString('base64url'))
const rowOf = (fields: Partial<DirectoryRow>) => ({ account_id: account, id, ...fields }) as DirectoryRow
const providerOf = (fields: Partial<PostureProviderRow>) =>
  ({ account_id: account, id, ...fields }) as PostureProviderRow

let open: { close(): Promise<void> }[] = []
function started<F extends { close(): Promise<void> }>(fake: F): F {
  open.push(fake)
  return fake
}
beforeEach(() => {
  vi.stubEnv('ALLOW_INSECURE_PROVIDERS', '1')
  vi.stubEnv('SECRET_KEY_FILE', keyFile)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await Promise.all(open.map((fake) => fake.close()))
  open = []
})

it('opens a suite with the fields of its directory and the settings', async () => {
  const fake = started(await suiteFake(suiteCompany(20, 2)))
  vi.stubEnv('SUITE_TOKEN_URL', `${fake.url}/token`)
  vi.stubEnv('SUITE_API_URL', `${fake.url}/`)
  vi.stubEnv('SUITE_ISSUER', 'https://suite.example.com')
  const row = rowOf({
    impersonation_email: 'admin@example.com',
    service_account_key: await encryptSecret(owner, fake.serviceAccountKey),
    group_sync_mode: 'disabled',
  })
  const adapter = await openDirectory('suite', row)
  expect(adapter.issuer).toBe('https://suite.example.com')
  expect((await walkUsers(adapter)).entries).toHaveLength(20)
  expect((await walkGroups(adapter)).entries).toEqual([])
})

it('opens an identity provider with the key generated for its directory', async () => {
  const { stored, public_jwk } = await newKeyPair(owner, 'kid-7')
  const fake = started(await idpFake({ ...idpCompany(20, 2), clientId: 'service-app', keys: [public_jwk] }))
  vi.stubEnv('IDP_API_URL', fake.url)
  const adapter = await openDirectory(
    'idp',
    rowOf({ client_id: 'service-app', idp_domain: 'company.example.com', ...stored }),
  )
  expect(adapter.issuer).toBe('https://company.example.com')
  expect((await walkUsers(adapter)).entries).toHaveLength(20)
})

it('opens a tenant and its devices with the secret of its app registration', async () => {
  const fake = started(await tenantFake(tenantCompany(20, 2)))
  vi.stubEnv('TENANT_TOKEN_URL', `${fake.url}/{tenant_id}/oauth2/v2.0/token`)
  vi.stubEnv('TENANT_API_URL', fake.url)
  vi.stubEnv('TENANT_ISSUER', 'https://tenants.example.com/{tenant_id}/v2.0')
  const { tenantId: tenant_id, clientId: client_id, clientSecret } = fake.data
  const connection = { tenant_id, client_id, client_secret: await encryptSecret(owner, clientSecret) }
  const adapter = await openDirectory('tenant', rowOf({ ...connection, sync_all_groups: true }))
  expect(adapter.issuer).toBe(`https://tenants.example.com/${tenant_id}/v2.0`)
  expect((await walkUsers(adapter)).entries).toHaveLength(20)

  const inventory = started(await managedDevicesFake({ devices: [{ id: 'd' }] }))
  vi.stubEnv('TENANT_TOKEN_URL', `${inventory.url}/{tenant_id}/oauth2/v2.0/token`)
  vi.stubEnv('TENANT_API_URL', inventory.url)
  const devices = await openInventory(providerOf({ type: 'tenant', ...connection }))
  expect((await devices.read('devices', null)).entries).toMatchObject([{ mdm_id: 'd' }])
})

it('names the missing credentials of a directory from before they were required', async () => {
  vi.stubEnv('TENANT_TOKEN_URL', 'https://login.example.com/{tenant_id}/token')
  vi.stubEnv('TENANT_API_URL', 'https://graph.example.com')
  expect(await faultOf(openDirectory('tenant', rowOf({ tenant_id: 't', client_id: null })))).toMatchObject({
    faultClass: 'fatal',
    message: 'client_id is missing: enter it.',
  })
})

it('opens a device service at the address of its customer and region', async () => {
  const fake = started(await mdmFake(mdmFleet(3)))
  vi.stubEnv('MDM_API_URL', `${fake.url}/{subdomain}{.region}`)
  const api_token = await encryptSecret(owner, fake.data.apiToken)
  fake.faults = [always({ json: [] })]
  for (const region of ['us', 'eu'] as const) {
    const adapter = await openInventory(providerOf({ type: 'mdm', subdomain: 'company', region, api_token }))
    expect(await adapter.read('devices', null)).toEqual({ entries: [], skipped: [], next: null, barren: false })
  }
  expect(fake.requests.map(({ path }) => path)).toEqual(['/company/api/v1/devices', '/company.eu/api/v1/devices'])
})
