import { createHash, randomBytes } from 'node:crypto'
import { decryptBytes, deriveKey, encryptBytes } from '../../core/secrets/sealed-bytes.ts'
import type { DiscoveryDocument } from '../../domain/auth-providers/discovery-document.ts'
import type { SignInContext } from '../sign-in-context.ts'
import type { OpenIdKind } from './provider-app.ts'

/** Stored sign-in while the person is at the provider. */
export type PendingSignIn = {
  provider: { kind: OpenIdKind; id: string }
  /** Issuer that the browser was redirected to; responses of another are refused. */
  issuer: string
  context: SignInContext
  /** Address of the caller. The final redirect returns `state` and a code for `code_challenge` to it. */
  redirect_uri: string
  state: string
  code_challenge: string
  /** Prompt that was sent to the provider. */
  prompt: AccountPrompt | null
  callback_uri: string
  /** Nonce and verifier towards the provider, encrypted with a key that is derived from the state. */
  sealed: Uint8Array
}

/** Secrets that bind the provider's answer to this sign-in: nonce of the ID token, and PKCE verifier (RFC 7636). */
export type Proofs = { nonce: string; verifier: string }

const purpose = 'pending sign-in'
const random = () => randomBytes(32).toString('base64url')

export const newProofs = (): Proofs => ({ nonce: random(), verifier: random() })

/** The S256 challenge of a verifier (RFC 7636, 4.2). */
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url')

/** Encrypts the proofs with a key from `state`, of which the table has only the hash. */
export const encryptProofs = (state: string, proofs: Proofs): Uint8Array =>
  encryptBytes(deriveKey(state, purpose), Buffer.from(JSON.stringify(proofs)))

export const decryptProofs = (state: string, sealed: Uint8Array): Proofs =>
  JSON.parse(decryptBytes(deriveKey(state, purpose), sealed).toString())

/** Value of `prompt` that makes a provider offer other accounts (OpenID Connect Core 1.0, 3.1.2.1). */
export type AccountPrompt = 'select_account' | 'login'

/** Kinds whose provider does not document `select_account`, which all others are sent (docs/decisions/0021). */
const loginOnly: readonly OpenIdKind[] = ['idp']

/** Prompt with which a provider lets a person choose another account; null if it supports none. */
export function accountPrompt(
  kind: OpenIdKind,
  { prompt_values_supported: supported }: Pick<DiscoveryDocument, 'prompt_values_supported'>,
): AccountPrompt | null {
  const values = supported ?? (loginOnly.includes(kind) ? ['login'] : ['select_account'])
  return (['select_account', 'login'] as const).find((prompt) => values.includes(prompt)) ?? null
}

const choiceErrors = ['invalid_request', 'account_selection_required']

/** True if the provider refused `select_account`; the service then retries with `login`. */
export const lacksChoice = (sentPrompt: AccountPrompt | null, query: URLSearchParams): boolean =>
  sentPrompt === 'select_account' && choiceErrors.includes(query.get('error') ?? '')
