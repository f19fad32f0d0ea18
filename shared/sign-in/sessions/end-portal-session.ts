import type { Author } from '../../commit/commit.ts'
import { isPassing } from '../../core/aws/passing-error.ts'
import type { PortalSessionRow } from '../../domain/portal-sessions/portal-session.ts'
import { end } from '../../domain/portal-sessions/store.ts'
import { openIdProvider } from '../providers/open-id-provider.ts'
import { appOf, type OpenIdKind } from '../providers/provider-app.ts'
import { documentOf } from '../providers/provider-document.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'

/** How long a sign-out waits for a document that is not cached. */
const timeoutMs = 2_000

/** Kinds whose real provider ends a session only for an ID token, and the service stores none. */
const needIdToken: readonly OpenIdKind[] = ['idp']

/** Address that ends a browser's session at a provider (OpenID Connect RP-Initiated Logout 1.0, 2); null where there is none. */
async function endSessionUrl(accountId: string, providerId: string): Promise<string | null> {
  const provider = await openIdProvider(accountId, providerId)
  const app = provider && !needIdToken.includes(provider.kind) ? appOf(provider.kind, provider.row) : null
  if (!app) return null
  const { end_session_endpoint } = await documentOf(app, timeoutMs)
  if (end_session_endpoint === undefined) return null
  const url = new URL(end_session_endpoint)
  url.searchParams.set('client_id', app.clientId)
  return url.href
}

/**
 * Ends a portal session (I2.6). Returns also the address that ends the session at the provider. A provider that does
 * not answer in time never keeps anybody from signing out.
 * @throws ApiError `unauthorized` when the session has ended meanwhile
 */
export async function endPortalSession(
  author: Author,
  { id, auth_provider_id }: Pick<PortalSessionRow, 'id' | 'auth_provider_id'>,
) {
  const asked = endSessionUrl(author.accountId, auth_provider_id).catch((error: unknown) => {
    if (error instanceof SignInRefused || isPassing(error)) return null
    throw error
  })
  const [{ data }, end_session_url] = await Promise.all([end(author, id), asked])
  return { data: { ...data, end_session_url } }
}
