import { createHash, randomBytes } from 'node:crypto'
import { decryptBytes, deriveKey, encryptBytes } from '../../core/secrets/sealed-bytes.ts'
import type { DiscoveryDocument } from '../../domain/auth-providers/discovery-document.ts'
import type { SignInContext } from '../sign-in-context.ts'
import type { OpenIdKind } from './provider-app.ts'

export type PendingSignIn = {
  provider: { kind: OpenIdKind; id: string }
  /** Issuer at the start of the sign-in. The callback is refused if the provider's issuer has changed. */
  issuer: string
  context: SignInContext
  /** Address of the caller, to which the final redirect returns `state` and the code. */
  redirect_uri: string
  state: string
  code_challenge: string
  prompt: AccountPrompt | null
  callback_uri: string
  /** Encrypted `Proofs`. The key is derived from the `state` sent to the provider. The table does not contain this `state`. */
  sealed: Uint8Array
}

/** Secrets that bind the provider's response to one sign-in: the nonce of the ID token and the PKCE verifier (RFC 7636). */
export type Proofs = { nonce: string; verifier: string }

const purpose = 'pending sign-in'
const random = () => randomBytes(32).toString('base64url')

export const newProofs = (): Proofs => ({ nonce: random(), verifier: random() })

/** Computes the S256 challenge of a PKCE verifier (RFC 7636, 4.2). */
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url')

export const encryptProofs = (state: string, proofs: Proofs): Uint8Array =>
  encryptBytes(deriveKey(state, purpose), Buffer.from(JSON.stringify(proofs)))

export const decryptProofs = (state: string, sealed: Uint8Array): Proofs =>
  JSON.parse(decryptBytes(deriveKey(state, purpose), sealed).toString())

/** Values of `prompt` that make a provider offer a choice of accounts (OpenID Connect Core 1.0, 3.1.2.1). */
export type AccountPrompt = 'select_account' | 'login'

/** Provider kinds that receive `login`, because they do not document `select_account` (docs/decisions/0021). */
const loginOnly: readonly OpenIdKind[] = ['idp']

/** Returns the prompt that makes the provider offer a choice of accounts (I2.2(5)). Returns null if the provider supports none. */
export function accountPrompt(
  kind: OpenIdKind,
  { prompt_values_supported: supported }: Pick<DiscoveryDocument, 'prompt_values_supported'>,
): AccountPrompt | null {
  const values = supported ?? (loginOnly.includes(kind) ? ['login'] : ['select_account'])
  return (['select_account', 'login'] as const).find((prompt) => values.includes(prompt)) ?? null
}

const choiceErrors = ['invalid_request', 'account_selection_required']

/** True if the provider rejected `select_account`, so that the sign-in must be retried with `login` (I2.2(5)). */
export const lacksChoice = (sentPrompt: AccountPrompt | null, query: URLSearchParams): boolean =>
  sentPrompt === 'select_account' && choiceErrors.includes(query.get('error') ?? '')
