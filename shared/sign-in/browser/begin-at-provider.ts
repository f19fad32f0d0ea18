import { clock } from '../../core/clock.ts'
import type { AuthProviderRow } from '../../domain/auth-providers/auth-provider.ts'
import { lastFaultKey, noteFault } from '../../domain/auth-providers/last-fault.ts'
import { putItem } from '../../table/put-item.ts'
import { mintOneTimeToken, oneTimeItem } from '../one-time-token.ts'
import {
  type AccountPrompt,
  accountPrompt,
  challengeOf,
  encryptProofs,
  newProofs,
  type PendingSignIn,
} from '../providers/pending-sign-in.ts'
import type { App, OpenIdKind } from '../providers/provider-app.ts'
import { fetchDocument } from '../providers/provider-app.ts'
import { noteRefusal, toProviderFault } from '../refusals/refusal-cause.ts'
import type { SignInRefused } from '../refusals/sign-in-refused.ts'

const pendingMicros = 10 * 60_000_000
const timeoutMs = 10_000

export type UsedProvider = { kind: OpenIdKind; row: AuthProviderRow; app: App }

/** Fields of a pending sign-in that do not change when the browser is redirected to the provider a second time. */
export type StartedSignIn = Pick<
  PendingSignIn,
  'context' | 'redirect_uri' | 'state' | 'code_challenge' | 'callback_uri'
>

/** Stores a pending sign-in that is valid for 10 minutes and accepts a single response. @throws SignInRefused if discovery fails */
export async function beginAtProvider(
  accountId: string,
  { kind, row, app }: UsedProvider,
  started: StartedSignIn,
  choice: AccountPrompt | null,
): Promise<{ url: string; expiresAt: number }> {
  const { text, key } = mintOneTimeToken(accountId, 'pending')
  const { nonce, verifier } = newProofs()
  const document = await fetchDocument(app, timeoutMs)
  const prompt = choice === 'select_account' ? accountPrompt(kind, document) : choice
  const url = new URL(document.authorization_endpoint)
  const parameters = {
    response_type: 'code',
    client_id: app.clientId,
    redirect_uri: started.callback_uri,
    scope: 'openid email profile',
    state: text,
    nonce,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    ...(prompt && { prompt }),
    // Hint for the provider's page. The domain restriction is enforced with the `hd` claim of the response.
    ...(kind === 'suite' && row.hosted_domain && { hd: row.hosted_domain }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  const expiresAt = clock.now() + pendingMicros
  const pending: PendingSignIn = {
    ...started,
    provider: { kind, id: row.id },
    issuer: app.issuer,
    prompt,
    sealed: encryptProofs(text, { nonce, verifier }),
  }
  await putItem(oneTimeItem(key, expiresAt, pending))
  return { url: url.href, expiresAt }
}

/** Logs a failed sign-in for the operator. A provider fault is also stored, so that administrators can see it (I2.2(4)). */
export async function noteFailure(
  accountId: string,
  { kind, id }: PendingSignIn['provider'],
  refused: SignInRefused,
): Promise<void> {
  noteRefusal(accountId, refused)
  const fault = toProviderFault(refused)
  if (fault) await noteFault(lastFaultKey(accountId, kind, id), fault.sentence, clock.now())
}
