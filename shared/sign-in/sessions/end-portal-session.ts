import type { Author } from '../../commit/commit.ts'
import { isTransient } from '../../core/transient-error.ts'
import { end, type PortalSessionRow } from '../../domain/portal-sessions/portal-session.ts'
import { fetchDocument, findApp, type OpenIdKind, openIdProvider } from '../providers/provider-app.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'

/** Maximum time in milliseconds that a sign-out waits for the discovery document (I2.6). */
const timeoutMs = 2_000

/** Provider kinds that require an ID token to end a session. The service does not store ID tokens. */
const needIdToken: readonly OpenIdKind[] = ['idp']

/**
 * Returns the provider's address for ending a session (OpenID Connect RP-Initiated Logout 1.0, 2). Returns null if the provider has none.
 */
async function endSessionUrl(accountId: string, providerId: string | null): Promise<string | null> {
  const provider = providerId === null ? null : await openIdProvider(accountId, providerId)
  const app = provider && !needIdToken.includes(provider.kind) ? findApp(provider.kind, provider.row) : null
  if (!app) return null
  const { end_session_endpoint } = await fetchDocument(app, timeoutMs)
  if (end_session_endpoint === undefined) return null
  const url = new URL(end_session_endpoint)
  url.searchParams.set('client_id', app.clientId)
  return url.href
}

/**
 * Ends a portal session (I2.6), even if its provider is unreachable.
 * @throws ApiError `unauthorized` if the session has already ended
 */
export async function endPortalSession(
  author: Author,
  { id, auth_provider_id }: Pick<PortalSessionRow, 'id' | 'auth_provider_id'>,
) {
  const providerUrl = endSessionUrl(author.accountId, auth_provider_id).catch((error: unknown) => {
    if (error instanceof SignInRefused || isTransient(error)) return null
    throw error
  })
  const [{ data }, end_session_url] = await Promise.all([end(author, id), providerUrl])
  return { data: { ...data, end_session_url } }
}
