import { timingSafeEqual } from 'node:crypto'
import * as v from 'valibot'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import { clock } from '../../core/clock.ts'
import { type ApiError, invalid, unauthorized } from '../../core/errors.ts'
import { note } from '../../core/logging/invocation.ts'
import type { Origin } from '../../core/subject.ts'
import type { Draft } from '../../values/draft.ts'
import { NullableText, Text } from '../../values/fields.ts'
import { limitAttempts, limitEmailAttempts } from '../limit-attempts.ts'
import { lookAtOneTime, readOneTimeToken, takeOneTime } from '../one-time-token.ts'
import { proveEmail, useProof } from '../passcodes/prove-email.ts'
import { emailToProve } from '../providers/email-to-prove.ts'
import { challengeOf } from '../providers/pending-sign-in.ts'
import { noteRefusal, noteSignIn } from '../refusals/note-sign-in.ts'
import { type Refusal, SignInRefused } from '../refusals/sign-in-refused.ts'
import { withoutReason } from '../refusals/without-reason.ts'
import { stageSignIn } from '../sessions/stage-sign-in.ts'
import type { SignInCode } from './sign-in-code.ts'

/** The fields of `POST /sign_in/token` (I2.1, I2.3). */
export const RedeemFields = v.object({
  code: Text(512),
  code_verifier: Text(512, { trim: false }),
  passcode: v.optional(NullableText(255)),
})
type Redeem = v.InferOutput<typeof RedeemFields>

/** The characters and length of a verifier (RFC 7636, 4.1). */
const verifierForm = /^[A-Za-z0-9._~-]{43,128}$/

function fits(verifier: string, challenge: string): boolean {
  if (!verifierForm.test(verifier)) return false
  const [own, expected] = [Buffer.from(challengeOf(verifier)), Buffer.from(challenge)]
  return own.length === expected.length && timingSafeEqual(own, expected)
}

/** Tells the operator why, and the caller nothing. */
function refused(accountId: string | null, reason: Refusal): ApiError {
  noteRefusal(accountId, new SignInRefused(reason))
  return unauthorized()
}

/**
 * The identity of a code, with the email that a passcode proves where that is needed: three may be tried, and the code stays
 * for the next. @throws ApiError 422 without one; SignInRefused
 */
async function provenIdentity(
  accountId: string,
  code: string,
  { identity, context }: SignInCode,
  draft: Draft<Redeem>,
) {
  const email = await emailToProve(accountId, identity, context)
  if (email === null) return { identity, proof: null }
  const { passcode } = draft.fields
  if (!passcode) {
    draft.reject('passcode', "can't be blank")
    throw invalid(draft.errors)
  }
  await Promise.all([limitAttempts(accountId, 'passcodes'), limitEmailAttempts(email)])
  const proof = await proveEmail(accountId, email, passcode, { purpose: 'proof', code })
  return { identity: { ...identity, email: { verified: email } }, proof }
}

/**
 * Gives the session that a code stands for (I2.6). The code goes in the commit that makes the session: of many who redeem it
 * at once one alone gets one, and what fails before that leaves it to be redeemed. Who does not know the verifier ends it.
 * @throws ApiError `unauthorized`, the same for every reason
 */
export async function redeemCode(draft: Draft<Redeem>, origin: Origin) {
  const { code, code_verifier } = draft.done()
  const token = readOneTimeToken(code, 'code')
  if (!token) throw refused(null, 'code_unknown')
  const { accountId, key } = token
  const look = () => lookAtOneTime<SignInCode>(key, clock.now())
  const known = await look()
  if (!known) throw refused(accountId, 'code_unknown')
  note({ account_id: accountId })
  if (!fits(code_verifier, known.code_challenge)) {
    await takeOneTime(key, clock.now())
    throw refused(accountId, 'verifier')
  }
  const { provider, context } = known
  return withoutReason(accountId, async () => {
    const { identity, proof } = await provenIdentity(accountId, key.sk, known, draft)
    const mailedTo = proof?.actorId ?? known.actor_id
    const issued = await commitInParts({ accountId, subject: null }, async (transaction) => {
      // Read on the state of the commit: another that took it came first.
      if (!(await look())) throw new SignInRefused('code_unknown')
      return stageSignIn(transaction, { identity, mailedTo, provider, context, origin }, async () => {
        transaction.remove(key)
        if (proof) await useProof(transaction, proof)
      })
    })
    noteSignIn()
    return { data: issued }
  })
}
