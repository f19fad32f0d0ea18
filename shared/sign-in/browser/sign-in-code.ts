import type { ProviderKind } from '../../domain/auth-providers/auth-provider.ts'
import type { ClaimedIdentity } from '../providers/identity-claims.ts'
import type { SignInContext } from '../sign-in-context.ts'

/** Validity of a code in microseconds (I2.2(5)); with a passcode, that of the passcode (I2.5). */
export const codeMicros = { alone: 60_000_000, withPasscode: 15 * 60_000_000 }

/** Stored content of a code: the identity that a provider or a passcode has proven. */
export type SignInCode = {
  provider: { kind: ProviderKind; id: string; trust_version: number }
  context: SignInContext
  code_challenge: string
  /** Actor of the passcode that was exchanged for the code; only this actor gets the session. */
  actor_id?: string
  identity: ClaimedIdentity
}
