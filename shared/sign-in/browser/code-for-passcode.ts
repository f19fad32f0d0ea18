import { clock } from '../../core/clock.ts'
import { passcodeKey } from '../../domain/passcodes/passcode.ts'
import { putIf, removeWhile, writeTogether } from '../../table/write-together.ts'
import { mintOneTimeToken, oneTimeItem } from '../one-time-token.ts'
import { provePasscode } from '../passcodes/prove-email.ts'
import { hideRefusal } from '../refusals/refusal-cause.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'
import type { SignInContext } from '../sign-in-context.ts'
import { codeMicros, type SignInCode } from './sign-in-code.ts'

type Entered = { email: string; passcode: string; context: SignInContext; code_challenge: string }

/** Exchanges an emailed passcode for a code (I2.2(6), I2.5). @throws ApiError `unauthorized`, `rate_limited` */
export async function codeForPasscode(accountId: string, entered: Entered): Promise<string> {
  const { context, code_challenge } = entered
  return hideRefusal(accountId, async () => {
    const { provider, proof, identity } = await provePasscode(accountId, entered)
    const { text, key } = mintOneTimeToken(accountId, 'code')
    const content: SignInCode = {
      provider,
      context,
      code_challenge,
      actor_id: proof.actorId,
      identity: { ...identity, toProve: null },
    }
    const deletion = removeWhile(passcodeKey(accountId, proof.actorId), { id: proof.passcodeId })
    const insertion = putIf(oneTimeItem(key, clock.now() + codeMicros.alone, content), null)
    // A conflict means that a concurrent request has used the passcode.
    if ((await writeTogether([deletion, insertion])) === 'conflict') throw new SignInRefused('passcode', proof.actorId)
    return text
  })
}
