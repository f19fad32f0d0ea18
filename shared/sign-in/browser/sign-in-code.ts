import type { ProviderKind } from '../../domain/auth-providers/auth-provider.ts'
import type { ClaimedIdentity } from '../providers/identity-claims.ts'
import type { SignInContext } from '../sign-in-context.ts'

/** Validity period of a code in microseconds (I2.2(6)). If the code also requires a passcode, both have the same validity period (I2.5). */
export const codeMicros = { alone: 60_000_000, withPasscode: 15 * 60_000_000 }

export type SignInCode = {
  provider: { kind: ProviderKind; id: string; trust_version: number }
  context: SignInContext
  code_challenge: string
  /** Actor whose passcode was exchanged for the code. No other actor can get the session. */
  actor_id?: string
  identity: ClaimedIdentity
}
