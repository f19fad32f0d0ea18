import { vi } from 'vitest'
import { commit } from '#shared/commit/commit.ts'
import { type ProviderKind, providerKinds } from '#shared/domain/auth-providers/auth-provider.ts'
import { discovery } from '#shared/domain/auth-providers/discovery-document.ts'
import { mintClientToken } from '#shared/domain/client-tokens/client-token.ts'
import { collectionAt } from '../operations/operations.ts'
import type { Account } from './account.ts'
import { insertActor } from './rows.ts'

type Fields = Record<string, unknown>

export const providerSecret = 'very-secret-value-0123456789'

let count = 0
/** Functions that return valid fields for a new provider, keyed by provider kind. Each call returns a different name. */
const fieldsOf: Record<ProviderKind, () => Fields> = {
  email_otp: () => ({}),
  oidc: () => ({
    name: `Login ${count++}`,
    client_id: `client-${count}`,
    client_secret: providerSecret,
    discovery_document_uri: 'https://login.example.com/.well-known/openid-configuration',
  }),
  suite: () => ({}),
  tenant: () => ({ name: `Tenant ${count++}`, issuer: `https://tenants.example.com/tenant-${count}/v2.0` }),
  idp: () => ({
    name: `Idp ${count++}`,
    client_id: `client-${count}`,
    client_secret: providerSecret,
    idp_domain: 'Company.Idp.example',
  }),
}

async function providersOf(kind: ProviderKind) {
  const operations = await collectionAt(`/${kind}_auth_providers`, `${kind}_auth_provider`)
  const create = (account: Account, fields: Fields = {}) =>
    operations.create(account, { ...fieldsOf[kind](), ...fields })
  return { ...operations, create }
}

/** Functions that call the operations for every kind of auth provider (A25). `create` fills in missing fields with valid values. */
export const providers = Object.fromEntries(
  await Promise.all(providerKinds.map(async (kind) => [kind, await providersOf(kind)] as const)),
) as Record<ProviderKind, Awaited<ReturnType<typeof providersOf>>>

/** Replaces every discovery document with a mock that names this issuer, until the mocks are restored. */
export const stubDiscovery = (issuer = 'https://login.example.com') =>
  vi.spyOn(discovery, 'read').mockResolvedValue({ issuer })

/** Creates two client tokens for one actor: `fromProvider` is issued by the provider, `fromAdministrator` by an administrator. */
export async function mintTokens(account: Account, providerId: string) {
  const actor = await insertActor(account.id)
  const mint = (auth_provider_id: string | null) =>
    commit({ accountId: account.id, subject: null }, (transaction) =>
      mintClientToken(transaction, actor.id, { expires_at: '2099-01-01T00:00:00Z', auth_provider_id }),
    )
  return { fromProvider: await mint(providerId), fromAdministrator: await mint(null) }
}
