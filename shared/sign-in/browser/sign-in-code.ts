import type { ProviderKind } from '../../domain/auth-providers/auth-provider.ts'
import type { ClaimedIdentity } from '../providers/identity-claims.ts'
import type { SignInContext } from '../sign-in-context.ts'

/** How long the code of a redirect counts (I2.2(5)); with a passcode, as long as that does (I2.5). */
export const codeMicros = { alone: 60_000_000, withPasscode: 15 * 60_000_000 }

/** What a code of a redirect stands for: somebody whom a provider or a passcode has vouched for. */
export type SignInCode = {
  provider: { kind: ProviderKind; id: string; trust_version: number }
  context: SignInContext
  /** Only who knows its verifier gets the session. */
  code_challenge: string
  /** Whom the passcode was mailed to, where one led to the code; nobody else gets the session. The version before kept none. */
  actor_id?: string
  identity: ClaimedIdentity
}
