import { clock } from '../core/clock.ts'
import { unauthorized } from '../core/errors.ts'
import { passcodeKey } from '../domain/passcodes/passcode.ts'
import { putOver, removeWhile, writeTogether } from '../table/write-together.ts'
import { limitAttempts, limitEmailAttempts } from './limit-attempts.ts'
import { noteRefusal } from './note-sign-in.ts'
import { mintOneTimeToken, oneTimeItem } from './one-time-token.ts'
import { passcodeProvider } from './passcode-provider.ts'
import { proveEmail } from './prove-email.ts'
import { codeMicros, type SignInCode } from './sign-in-code.ts'
import type { SignInContext } from './sign-in-context.ts'
import { SignInRefused } from './sign-in-refused.ts'

type Entered = { email: string; passcode: string; context: SignInContext; code_challenge: string }

/**
 * The code of a redirect for somebody who knows the passcode that was mailed to the address (I2.2(5), I2.5). The passcode goes
 * when the code comes. Who may sign in is decided when it is redeemed.
 * @throws ApiError `unauthorized`, the same for every reason; `rate_limited`
 */
export async function codeForPasscode(accountId: string, entered: Entered): Promise<string> {
  const { email, passcode, context, code_challenge } = entered
  await Promise.all([limitAttempts(accountId, 'passcodes'), limitEmailAttempts(email)])
  try {
    const provider = await passcodeProvider(accountId)
    if (!provider) throw new SignInRefused('provider_disabled')
    const use = { purpose: 'sign_in', providerId: provider.id, context } as const
    const proof = await proveEmail(accountId, email, passcode, use)
    const { text, key } = mintOneTimeToken(accountId, 'code')
    const content: SignInCode = {
      provider: { kind: 'email_otp', id: provider.id },
      context,
      code_challenge,
      actor_id: proof.actorId,
      identity: {
        issuer: provider.issuer,
        idpId: email.toLowerCase(),
        email: { verified: email },
        profile: { email },
        toProve: null,
      },
    }
    const used = removeWhile(passcodeKey(accountId, proof.actorId), { id: proof.passcodeId })
    const made = putOver(oneTimeItem(key, clock.now() + codeMicros.alone, content), null)
    // Of many at once the first finds the passcode.
    if ((await writeTogether([used, made])) === 'lost') throw new SignInRefused('passcode', proof.actorId)
    return text
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error
    noteRefusal(accountId, error)
    throw unauthorized()
  }
}
