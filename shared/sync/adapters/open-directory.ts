import { env } from '../../core/env.ts'
import { openSecret } from '../../core/secrets/sealed-secret.ts'
import type { DirectoryKind, DirectoryRow } from '../../domain/directories/directory.ts'
import { type GuardedFetch, guardedFetch } from '../../outside/guarded-fetch.ts'
import type { DirectoryAdapter } from '../directory-adapter.ts'
import { ProviderFault } from '../provider-fault.ts'
import { idpDirectory } from '../providers/idp/pages.ts'
import { suiteDirectory } from '../providers/suite/pages.ts'
import { tenantDirectory } from '../providers/tenant/pages.ts'
import { withinStep } from './within-step.ts'

/** Pages of a thousand people, with all that a provider may say of each; they have longer than other calls (I1.2). */
export const pageLimits = { timeoutMs: 120_000, maxBytes: 20_000_000, keepAlive: true }

/** A credential that was entered before it was asked for is not there. @throws ProviderFault fatal */
function present<T>(value: T | null | undefined, name: string): T {
  if (value === null || value === undefined)
    throw new ProviderFault('fatal', `${name} is missing: it has to be entered.`)
  return value
}

const secretOf = ({ account_id }: { account_id: string }, sealed: string | null | undefined, name: string) =>
  openSecret(account_id, present(sealed, name))

/** How an app registration of a tenant is called, for its directory or its devices. */
export async function openGraph(row: {
  account_id: string
  tenant_id?: string | null
  client_id?: string | null
  client_secret?: string | null
}) {
  return {
    tokenUrl: env.tenantTokenUrl.replace('{tenant_id}', encodeURIComponent(present(row.tenant_id, 'tenant_id'))),
    apiUrl: env.tenantApiUrl,
    clientId: present(row.client_id, 'client_id'),
    clientSecret: await secretOf(row, row.client_secret, 'client_secret'),
  }
}

const openers: Record<DirectoryKind, (row: DirectoryRow, fetch: GuardedFetch) => Promise<DirectoryAdapter>> = {
  suite: async (row, fetch) => {
    const connection = {
      tokenUrl: env.suiteTokenUrl,
      apiUrl: env.suiteApiUrl,
      issuer: env.suiteIssuer,
      serviceAccountKey: await secretOf(row, row.service_account_key, 'service_account_key'),
      impersonationEmail: present(row.impersonation_email, 'impersonation_email'),
      domain: row.domain ?? null,
      groupSyncMode: row.group_sync_mode ?? 'all',
      orgunitSyncEnabled: row.orgunit_sync_enabled ?? false,
    }
    return suiteDirectory(connection, fetch)
  },
  idp: async (row, fetch) => {
    const domain = present(row.idp_domain, 'idp_domain')
    const connection = {
      baseUrl: env.idpApiUrl.replace('{idp_domain}', domain),
      issuer: `https://${domain}`,
      clientId: present(row.client_id, 'client_id'),
      kid: present(row.kid, 'kid'),
      privateKey: await secretOf(row, row.private_key, 'The signing key'),
    }
    return idpDirectory(connection, fetch)
  },
  tenant: async (row, fetch) => {
    const connection = {
      ...(await openGraph(row)),
      issuer: env.tenantIssuer.replace('{tenant_id}', present(row.tenant_id, 'tenant_id')),
      emailField: row.email_field ?? 'userPrincipalName',
      syncAllGroups: row.sync_all_groups ?? false,
    }
    return tenantDirectory(connection, fetch)
  },
}

/**
 * The adapter of a directory, with its credentials (I4.2). One for a step of a run: it keeps its token and its pace.
 * @param deadline of the step, in milliseconds since 1970
 * @throws ProviderFault fatal where a credential is missing
 */
export const openDirectory = (
  kind: DirectoryKind,
  row: DirectoryRow,
  deadline = Number.POSITIVE_INFINITY,
): Promise<DirectoryAdapter> => openers[kind](row, withinStep(guardedFetch(pageLimits), deadline))
