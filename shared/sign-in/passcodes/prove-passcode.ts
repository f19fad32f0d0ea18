import { foldAscii } from '../../values/fold-ascii.ts'
import type { ProvenIdentity } from '../identities/proven-identity.ts'
import { limitAttempts, limitEmailAttempts } from '../limit-attempts.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'
import type { SignInContext } from '../sign-in-context.ts'
import { passcodeProvider } from './passcode-provider.ts'
import { proveEmail } from './prove-email.ts'

/**
 * Holds a passcode against the one that was mailed for a sign-in, and counts the attempt: the provider, the proof, which is yet
 * to be used, and the identity that it gives (I2.5).
 * @throws SignInRefused; ApiError `rate_limited`
 */
export async function provePasscode(
  accountId: string,
  { email, passcode, context }: { email: string; passcode: string; context: SignInContext },
) {
  await Promise.all([limitAttempts(accountId, 'passcodes'), limitEmailAttempts(email)])
  const provider = await passcodeProvider(accountId)
  if (!provider) throw new SignInRefused('provider_disabled')
  const proof = await proveEmail(accountId, email, passcode, { purpose: 'sign_in', providerId: provider.id, context })
  const identity: ProvenIdentity = {
    issuer: provider.issuer,
    idpId: foldAscii(email),
    email: { verified: email },
    profile: { email },
  }
  const { id, trust_version } = provider
  return { provider: { kind: 'email_otp', id, trust_version } as const, proof, identity }
}
