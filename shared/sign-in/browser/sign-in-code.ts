import type { ProviderKind } from '../../domain/auth-providers/auth-provider.ts'
import type { ClaimedIdentity } from '../providers/identity-claims.ts'
import type { SignInContext } from '../sign-in-context.ts'

/** Validity of the code of a redirect (I2.2(5)), with a passcode as long as that (I2.5). */
export const codeMicros = { alone: 60_000_000, withPasscode: 15 * 60_000_000 }

/** Content of the code of a redirect: a person whom a provider or a passcode has vouched for. */
export type SignInCode = {
  provider: { kind: ProviderKind; id: string; trust_version: number }
  context: SignInContext
  code_challenge: string
  /** Actor of the passcode that was exchanged for the code; nobody else gets the session. */
  actor_id?: string
  identity: ClaimedIdentity
}
