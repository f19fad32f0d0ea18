import { timingSafeEqual } from 'node:crypto'
import * as v from 'valibot'
import { commit } from '../commit/commit.ts'
import { clock } from '../core/clock.ts'
import { unauthorized } from '../core/errors.ts'
import { note } from '../core/invocation.ts'
import type { Origin } from '../core/subject.ts'
import { Text } from '../values/fields.ts'
import { stageSession } from './issue-session.ts'
import { noteRefusal, noteSignIn } from './note-sign-in.ts'
import { lookAtOneTime, readOneTimeToken, takeOneTime } from './one-time-token.ts'
import { challengeOf } from './pending-sign-in.ts'
import type { SignInCode } from './sign-in-code.ts'
import { SignInRefused } from './sign-in-refused.ts'
import { stageIdentity } from './stage-identity.ts'

/** The fields of `POST /sign_in/token` (I2.1). */
export const RedeemFields = v.object({ code: Text(512), code_verifier: Text(512, { trim: false }) })
export type Redeem = v.InferOutput<typeof RedeemFields>

/** The characters and length of a verifier (RFC 7636, 4.1). */
const verifierForm = /^[A-Za-z0-9._~-]{43,128}$/

function fits(verifier: string, challenge: string): boolean {
  if (!verifierForm.test(verifier)) return false
  const [own, expected] = [Buffer.from(challengeOf(verifier)), Buffer.from(challenge)]
  return own.length === expected.length && timingSafeEqual(own, expected)
}

/**
 * Gives the session that a code stands for (I2.6). The code goes in the commit that makes the session: of many who redeem it
 * at once one alone gets one, and what fails before that leaves it to be redeemed. Who does not know the verifier ends it.
 * @throws ApiError `unauthorized`, the same for every reason
 */
export async function redeemCode({ code, code_verifier }: Redeem, origin: Origin) {
  const token = readOneTimeToken(code, 'code')
  if (!token) throw unauthorized()
  const { accountId, key } = token
  const look = () => lookAtOneTime<SignInCode>(key, clock.now())
  const known = await look()
  if (!known) throw unauthorized()
  note({ account_id: accountId })
  if (!fits(code_verifier, known.code_challenge)) {
    await takeOneTime(key, clock.now())
    throw unauthorized()
  }
  try {
    const issued = await commit({ accountId, subject: null }, async (transaction) => {
      // Read on the state of the commit: another that took it came first.
      const held = await look()
      if (!held) throw unauthorized()
      transaction.remove(key)
      const { provider, context, identity } = held
      const actorId = await stageIdentity(transaction, identity)
      return stageSession(transaction, { actorId, provider, context, origin })
    })
    noteSignIn()
    return { data: issued }
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error
    noteRefusal(accountId, error)
    throw unauthorized()
  }
}
