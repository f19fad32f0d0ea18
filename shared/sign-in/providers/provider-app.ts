import { readSecret } from '../../core/aws/read-secret.ts'
import { env, type ProviderApp } from '../../core/env.ts'
import { openSecret } from '../../core/secrets/sealed-secret.ts'
import type { AuthProviderRow, ProviderKind } from '../../domain/auth-providers/auth-provider.ts'
import { documentUriFor, documentUriOf, wellKnown } from '../../domain/auth-providers/discovery-document.ts'
import { tenantOfIssuer } from '../../domain/auth-providers/tenant-issuer.ts'

/** Kinds of providers that a browser is led to. */
export type OpenIdKind = Exclude<ProviderKind, 'email_otp'>

/** The app that people sign in through at a provider, and where the provider says what it is. */
export type App = { issuer: string; documentUri: string; clientId: string; secret(): Promise<string> }

/** A changed secret is known everywhere after this long. */
const timeBudgetMs = 5 * 60_000
const known = new Map<string, { secret: string; at: number }>()

async function secretAt(arn: string): Promise<string> {
  const kept = known.get(arn)
  if (kept && Date.now() - kept.at < timeBudgetMs) return kept.secret
  const secret = (await readSecret(arn)).trim()
  known.set(arn, { secret, at: Date.now() })
  return secret
}

const ofDeployment = (app: ProviderApp | null, issuer: string): App | null =>
  app && {
    issuer,
    documentUri: documentUriOf(issuer),
    clientId: app.clientId,
    secret: () => (app.secret === null ? secretAt(app.secretArn ?? '') : Promise.resolve(app.secret)),
  }

const ofAccount = (
  { issuer, account_id, client_id = '', client_secret = '' }: AuthProviderRow,
  documentUri: string,
) => ({
  issuer,
  documentUri,
  clientId: client_id,
  secret: () => openSecret(account_id, client_secret),
})

/** The app of a provider; null where the deployment has none for its kind, or its issuer is not one that the app is for. */
export function appOf(kind: OpenIdKind, provider: AuthProviderRow): App | null {
  const { issuer } = provider
  if (kind === 'oidc') return ofAccount(provider, documentUriFor(provider.discovery_document_uri ?? issuer))
  if (kind === 'idp') {
    const base = env.idpApiUrl.replaceAll('{idp_domain}', provider.idp_domain ?? '')
    return ofAccount(provider, `${base}${wellKnown}`)
  }
  // The deployment's secret goes to the provider it belongs to and nowhere else (I1.3).
  if (kind === 'suite') return issuer === env.suiteIssuer ? ofDeployment(env.suiteApp, issuer) : null
  return tenantOfIssuer(issuer) === null ? null : ofDeployment(env.tenantApp, issuer)
}
