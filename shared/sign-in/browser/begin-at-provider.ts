import { clock } from '../../core/clock.ts'
import type { AuthProviderRow } from '../../domain/auth-providers/auth-provider.ts'
import { table, tableName } from '../../table/client.ts'
import { PutCommand } from '../../table/commands.ts'
import { mintOneTimeToken, oneTimeItem } from '../one-time-token.ts'
import { type AccountPrompt, accountPrompt } from '../providers/account-prompt.ts'
import { challengeOf, newProofs, type PendingSignIn, sealProofs } from '../providers/pending-sign-in.ts'
import type { App, OpenIdKind } from '../providers/provider-app.ts'
import { documentOf } from '../providers/provider-document.ts'

/** Time that somebody may take at the provider (I2.2). */
const pendingMicros = 10 * 60_000_000
const timeoutMs = 10_000

/** A provider that takes part in a sign-in. */
export type UsedProvider = { kind: OpenIdKind; row: AuthProviderRow; app: App }

/** Caller's part of a pending sign-in. It stays the same when the provider is asked again. */
export type Begun = Pick<PendingSignIn, 'context' | 'redirect_uri' | 'state' | 'code_challenge' | 'callback_uri'>

/** Adds parameters to the provider's own address, which keeps those that it has. */
function withQuery(endpoint: string, parameters: Record<string, string>): string {
  const url = new URL(endpoint)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

/**
 * Stores a pending sign-in. Its address at the provider is valid for 10 minutes and one answer.
 * @param choice prompt for another account, adapted to what the provider supports
 * @throws SignInRefused when the provider's document cannot be read
 */
export async function beginAtProvider(
  accountId: string,
  { kind, row, app }: UsedProvider,
  begun: Begun,
  choice: AccountPrompt | null,
): Promise<{ url: string; expiresAt: number }> {
  const { text, key } = mintOneTimeToken(accountId, 'pending')
  const { nonce, verifier } = newProofs()
  const document = await documentOf(app, timeoutMs)
  const prompt = choice === 'select_account' ? accountPrompt(kind, document) : choice
  const url = withQuery(document.authorization_endpoint, {
    response_type: 'code',
    client_id: app.clientId,
    redirect_uri: begun.callback_uri,
    scope: 'openid email profile',
    state: text,
    nonce,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    ...(prompt && { prompt }),
    // A hint for the provider; the claim that comes back is compared with it.
    ...(kind === 'suite' && row.hosted_domain && { hd: row.hosted_domain }),
  })
  const expiresAt = clock.now() + pendingMicros
  const pending: PendingSignIn = {
    ...begun,
    provider: { kind, id: row.id },
    issuer: app.issuer,
    prompt,
    sealed: await sealProofs(accountId, key.sk, { nonce, verifier }),
  }
  await table().send(new PutCommand({ TableName: tableName(), Item: oneTimeItem(key, expiresAt, pending) }))
  return { url, expiresAt }
}
