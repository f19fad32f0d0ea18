import { createHash, randomBytes } from 'node:crypto'
import { seal, unseal } from '../../core/secrets/sealed-secret.ts'
import type { SignInContext } from '../sign-in-context.ts'
import type { AccountPrompt } from './account-prompt.ts'
import type { OpenIdKind } from './provider-app.ts'

/** A sign-in whose person is at the provider: what it was begun with, and what the provider's answer is held against. */
export type PendingSignIn = {
  provider: { kind: OpenIdKind; id: string }
  /** The issuer that the browser was led to: an answer of another is none to this sign-in. */
  issuer: string
  context: SignInContext
  /** Where the caller is led back to, with the state it gave and a code for its challenge. */
  redirect_uri: string
  state: string
  code_challenge: string
  /** How the provider was asked for another account; null where it was not. */
  prompt: AccountPrompt | null
  /** Where the provider leads back to. */
  callback_uri: string
  /** Sealed: nonce and verifier towards the provider. */
  sealed: { version: string; bytes: Uint8Array }
}

/** What binds the provider's answer to this sign-in: the nonce of its ID token, and the verifier of PKCE (RFC 7636). */
export type Proofs = { nonce: string; verifier: string }

const purpose = 'pending sign-in'
const random = () => randomBytes(32).toString('base64url')

export const newProofs = (): Proofs => ({ nonce: random(), verifier: random() })

/** The S256 challenge of a verifier (RFC 7636, 4.2). */
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url')

export const sealProofs = (accountId: string, place: string, proofs: Proofs): Promise<PendingSignIn['sealed']> =>
  seal(accountId, purpose, place, Buffer.from(JSON.stringify(proofs)))

export const openProofs = async (accountId: string, place: string, sealed: PendingSignIn['sealed']): Promise<Proofs> =>
  JSON.parse((await unseal(accountId, purpose, place, sealed)).toString())
