import { readSecret } from '../../core/aws/secrets-manager.ts'
import { env, type ProviderApp } from '../../core/env.ts'
import { decryptSecret, UnreadableSecret } from '../../core/secrets/stored-secret.ts'
import {
  type AuthProviderRow,
  authProviders,
  type ProviderKind,
  tenantOfIssuer,
} from '../../domain/auth-providers/auth-provider.ts'
import {
  type DiscoveryDocument,
  documentUriFor,
  documentUriOf,
  readDiscoveryDocument,
  wellKnown,
} from '../../domain/auth-providers/discovery-document.ts'
import { guardedFetch } from '../../outside/guarded-fetch.ts'
import { outsideErrorOf } from '../../outside/outside-error.ts'
import { ResponseCache } from '../../outside/response-cache.ts'
import { getRow } from '../../table/read.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'

export type OpenIdKind = Exclude<ProviderKind, 'email_otp'>

export type App = { issuer: string; documentUri: string; clientId: string; secret(): Promise<string> }

const secrets = new ResponseCache<string>({ ms: 5 * 60_000, maxEntries: 10 })

async function readAppSecret(arn: string): Promise<string> {
  const cached = secrets.get(arn)
  if (cached !== null) return cached
  const secret = (await readSecret(arn)).trim()
  secrets.set(arn, secret)
  return secret
}

const deploymentApp = (app: ProviderApp | null, issuer: string): App | null =>
  app && {
    issuer,
    documentUri: documentUriOf(issuer),
    clientId: app.clientId,
    secret: () => (app.secret === null ? readAppSecret(app.secretArn ?? '') : Promise.resolve(app.secret)),
  }

const accountApp = (
  { issuer, account_id, id, client_id = '', client_secret = '' }: AuthProviderRow,
  documentUri: string,
) => ({
  issuer,
  documentUri,
  clientId: client_id,
  secret: () =>
    decryptSecret({ accountId: account_id, objectId: id }, client_secret).catch((error) => {
      // If the secret cannot be decrypted, reports the provider as not configured, because an administrator must enter the secret again.
      throw error instanceof UnreadableSecret ? new SignInRefused('provider_not_configured') : error
    }),
})

/** Returns the app registration of a provider. Returns null if the deployment has none for the provider's kind or issuer. */
export function findApp(kind: OpenIdKind, provider: AuthProviderRow): App | null {
  const { issuer } = provider
  if (kind === 'oidc') return accountApp(provider, documentUriFor(provider.discovery_document_uri ?? issuer))
  if (kind === 'idp') {
    const base = env.idpApiUrl.replaceAll('{idp_domain}', provider.idp_domain ?? '')
    return accountApp(provider, `${base}${wellKnown}`)
  }
  // Sends the deployment's client secret only to the deployment's own issuer (I1.3).
  if (kind === 'suite') return issuer === env.suiteIssuer ? deploymentApp(env.suiteApp, issuer) : null
  return tenantOfIssuer(issuer) === null ? null : deploymentApp(env.tenantApp, issuer)
}

const openIdKinds: OpenIdKind[] = ['oidc', 'suite', 'tenant', 'idp']

export async function openIdProvider(
  account: string,
  id: string,
): Promise<{ kind: OpenIdKind; row: AuthProviderRow } | null> {
  const rows = await Promise.all(openIdKinds.map((kind) => getRow(authProviders[kind], account, id)))
  const found = openIdKinds.flatMap((kind, i) => (rows[i] ? [{ kind, row: rows[i] }] : []))
  return found[0] ?? null
}

/** Discovery documents, cached for ten minutes. Accounts share the cache, because a document contains no account data. */
const documents = new ResponseCache<DiscoveryDocument>({ ms: 10 * 60_000, maxEntries: 1_000 })
/** Time limit in milliseconds for a request that concurrent callers share. Each caller also has its own timeout. */
const requestMs = 8_000

async function readDocument({ issuer, documentUri }: App): Promise<DiscoveryDocument> {
  const document = await readDiscoveryDocument(documentUri, guardedFetch({ timeoutMs: requestMs }))
  // Rejects a document that names a different issuer, because its endpoints may not belong to the provider.
  if (!document || document.issuer !== issuer) throw new SignInRefused('provider_answer', null, { at: 'discovery' })
  return document
}

/**
 * Reads an app's discovery document through the cache.
 * @throws SignInRefused if the document cannot be read in time or names a different issuer
 */
export async function fetchDocument(app: App, timeoutMs: number): Promise<DiscoveryDocument> {
  const key = `${app.issuer} ${app.documentUri}`
  return documents
    .getOrFetch(key, () => readDocument(app), timeoutMs)
    .catch((error: unknown) => {
      const failed = outsideErrorOf(error)
      if (!failed) throw error
      throw new SignInRefused('provider_unreachable', null, { at: 'discovery', failure: failed.reason })
    })
}
