import { clock } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { ApiError } from '../../core/errors.ts'
import { decryptSecret, UnreadableSecret } from '../../core/secrets/stored-secret.ts'
import type { DirectoryKind, DirectoryRow } from '../../domain/directories/directory.ts'
import type { PostureProviderRow } from '../../domain/posture-providers/posture-provider.ts'
import { type GuardedFetch, guardedFetch } from '../../outside/guarded-fetch.ts'
import { type DirectoryAdapter, ProviderFault } from '../adapter.ts'
import { idpDirectory } from './idp.ts'
import { managedDevices } from './managed-devices.ts'
import { mdmInventory } from './mdm.ts'
import { suiteDirectory } from './suite.ts'
import { tenantDirectory } from './tenant.ts'

/** Limits for pages of up to a thousand people, which take longer than other responses (I1.2). */
const pageLimits = { timeoutMs: 120_000, maxBytes: 20_000_000, keepAlive: true }

/**
 * Returns a credential. Old rows may lack it.
 * @throws ProviderFault `fatal` if the credential is missing
 */
function requireValue<T>(value: T | null | undefined, name: string): T {
  if (value === null || value === undefined) throw new ProviderFault('fatal', `${name} is missing: enter it.`)
  return value
}

/**
 * Decrypts a credential.
 * @throws ProviderFault `fatal` if the ciphertext is damaged, `transient` if the encryption key is unavailable
 */
async function decryptCredential(
  row: { account_id: string; id: string },
  encrypted: string | null | undefined,
  name: string,
) {
  try {
    return await decryptSecret({ accountId: row.account_id, objectId: row.id }, requireValue(encrypted, name))
  } catch (cause) {
    if (cause instanceof UnreadableSecret)
      throw new ProviderFault('fatal', `${name} cannot be decrypted: enter it again.`, { cause })
    if (cause instanceof ApiError)
      throw new ProviderFault('transient', `${name} cannot be decrypted at the moment.`, { cause })
    throw cause
  }
}

async function openGraph(row: DirectoryRow | PostureProviderRow) {
  return {
    tokenUrl: env.tenantTokenUrl.replace('{tenant_id}', encodeURIComponent(requireValue(row.tenant_id, 'tenant_id'))),
    apiUrl: env.tenantApiUrl,
    clientId: requireValue(row.client_id, 'client_id'),
    clientSecret: await decryptCredential(row, row.client_secret, 'client_secret'),
  }
}

const openers: Record<DirectoryKind, (row: DirectoryRow, fetch: GuardedFetch) => Promise<DirectoryAdapter>> = {
  suite: async (row, fetch) =>
    suiteDirectory(
      {
        tokenUrl: env.suiteTokenUrl,
        apiUrl: env.suiteApiUrl,
        issuer: env.suiteIssuer,
        serviceAccountKey: await decryptCredential(row, row.service_account_key, 'service_account_key'),
        impersonationEmail: requireValue(row.impersonation_email, 'impersonation_email'),
        domain: row.domain ?? null,
        groupSyncMode: row.group_sync_mode ?? 'all',
        orgunitSyncEnabled: row.orgunit_sync_enabled ?? false,
      },
      fetch,
    ),
  idp: async (row, fetch) => {
    const domain = requireValue(row.idp_domain, 'idp_domain')
    const connection = {
      baseUrl: env.idpApiUrl.replace('{idp_domain}', domain),
      issuer: `https://${domain}`,
      clientId: requireValue(row.client_id, 'client_id'),
      kid: requireValue(row.kid, 'kid'),
      privateKey: await decryptCredential(row, row.private_key, 'The signing key'),
    }
    return idpDirectory(connection, fetch)
  },
  tenant: async (row, fetch) => {
    const connection = {
      ...(await openGraph(row)),
      issuer: env.tenantIssuer.replace('{tenant_id}', requireValue(row.tenant_id, 'tenant_id')),
      emailField: row.email_field ?? 'userPrincipalName',
      syncAllGroups: row.sync_all_groups ?? false,
    }
    return tenantDirectory(connection, fetch)
  },
}

/**
 * Opens a directory for one step of a run (I4.2). `deadline` is in milliseconds since 1970.
 * @throws ProviderFault `fatal` if a credential is missing
 */
export function openDirectory(kind: DirectoryKind, row: DirectoryRow, deadline = Number.POSITIVE_INFINITY) {
  return openers[kind](row, withinStep(guardedFetch(pageLimits), deadline))
}

/** Matches visible ASCII, which headers require. Rejects tokens that were copied with a line break or curly quotes. */
const isToken = /^[\x21-\x7e]+$/

/**
 * Opens a device inventory for one step of a run (I7.2). `deadline` is in milliseconds since 1970.
 * @throws ProviderFault `fatal` if a credential is missing
 */
export async function openInventory(row: PostureProviderRow, deadline = Number.POSITIVE_INFINITY) {
  const fetch = withinStep(guardedFetch(pageLimits), deadline)
  if (row.type === 'tenant') return managedDevices(await openGraph(row), fetch)
  const { subdomain, region, api_token } = row
  if (!subdomain || !region || !api_token) {
    throw new ProviderFault('fatal', 'subdomain, region and api_token are required: enter them.')
  }
  const apiUrl = env.mdmApiUrl
    .replace('{subdomain}', subdomain)
    .replace('{.region}', region === 'us' ? '' : `.${region}`)
  const apiToken = await decryptCredential(row, api_token, 'api_token')
  if (!isToken.test(apiToken)) {
    const sentence =
      'api_token contains a character that is not allowed in a token: enter it exactly as the device service shows it.'
    throw new ProviderFault('fatal', sentence)
  }
  return mdmInventory({ apiUrl, apiToken }, fetch)
}

/** Wraps a fetch so that no request is sent after the step's deadline, in milliseconds since 1970. */
export const withinStep =
  (fetch: GuardedFetch, deadline: number): GuardedFetch =>
  async (...request) => {
    if (clock.monotonic() >= deadline)
      throw new ProviderFault('retry', 'A call took longer than the remaining time of the step.')
    return fetch(...request)
  }

/** Functions that open adapters. Tests replace these functions. */
export const adapters = { directory: openDirectory, inventory: openInventory }
