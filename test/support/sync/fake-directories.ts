import { generateKeyPairSync } from 'node:crypto'
import { guardedFetch } from '#shared/outside/guarded-fetch.ts'
import { idpDirectory } from '#shared/sync/providers/idp.ts'
import { managedDevices } from '#shared/sync/providers/managed-devices.ts'
import { mdmInventory } from '#shared/sync/providers/mdm.ts'
import { suiteDirectory } from '#shared/sync/providers/suite.ts'
import { tenantDirectory } from '#shared/sync/providers/tenant.ts'
import type { GraphApp } from '#test/fakes/graph-server.ts'
import type { IdpFake } from '#test/fakes/idp.ts'
import type { ManagedDevicesFake } from '#test/fakes/managed-devices.ts'
import type { MdmFake } from '#test/fakes/mdm.ts'
import type { SuiteFake } from '#test/fakes/suite.ts'
import type { TenantFake } from '#test/fakes/tenant.ts'

const limits = { maxBytes: 4_000_000, keepAlive: true }

/** Opens an adapter for a fake provider. `given` overrides the parameters of the working connection. */
export const suiteOf = (fake: SuiteFake, given: Partial<Parameters<typeof suiteDirectory>[0]> = {}) =>
  suiteDirectory(
    {
      tokenUrl: `${fake.url}/token`,
      apiUrl: fake.url,
      issuer: 'https://suite.example.com',
      serviceAccountKey: fake.serviceAccountKey,
      impersonationEmail: 'admin@example.com',
      domain: null,
      groupSyncMode: 'all',
      orgunitSyncEnabled: false,
      ...given,
    },
    guardedFetch(limits),
  )

let pair: { privateKey: string; jwk: Record<string, unknown> } | undefined
/** Returns one signing key for all directories of a process, because generating a key takes longer than a test. */
export function directoryKey() {
  if (pair) return pair
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  pair = {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    jwk: { ...publicKey.export({ format: 'jwk' }), kid: 'kid-1', alg: 'RS256', use: 'sig' },
  }
  return pair
}

export const idpOf = (fake: IdpFake, given: Partial<Parameters<typeof idpDirectory>[0]> = {}) =>
  idpDirectory(
    {
      baseUrl: fake.url,
      issuer: 'https://company.example.com',
      clientId: '0oaservice',
      kid: 'kid-1',
      privateKey: directoryKey().privateKey,
      ...given,
    },
    guardedFetch(limits),
  )

const graphOf = ({ url, data }: { url: string; data: GraphApp }) => ({
  tokenUrl: `${url}/${data.tenantId}/oauth2/v2.0/token`,
  apiUrl: url,
  clientId: data.clientId,
  clientSecret: data.clientSecret,
})

export const tenantOf = (fake: TenantFake, given: Partial<Parameters<typeof tenantDirectory>[0]> = {}) =>
  tenantDirectory(
    {
      ...graphOf(fake),
      issuer: 'https://tenants.example.com/1/v2.0',
      emailField: 'userPrincipalName',
      syncAllGroups: false,
      ...given,
    },
    guardedFetch(limits),
  )

export const managedDevicesOf = (fake: ManagedDevicesFake, given = {}) =>
  managedDevices({ ...graphOf(fake), ...given }, guardedFetch(limits))

export const mdmOf = (fake: MdmFake, given = {}) =>
  mdmInventory({ apiUrl: fake.url, apiToken: fake.data.apiToken, ...given }, guardedFetch(limits))
