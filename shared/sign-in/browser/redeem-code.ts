import { timingSafeEqual } from 'node:crypto'
import * as v from 'valibot'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import { clock } from '../../core/clock.ts'
import { invalid } from '../../core/errors.ts'
import { note } from '../../core/logging/invocation.ts'
import type { Origin } from '../../core/subject.ts'
import type { Draft } from '../../values/draft.ts'
import { NullableText, RawText, Text } from '../../values/fields.ts'
import { limitAttempts, limitEmailAttempts } from '../limit-attempts.ts'
import { readOneTimeItem, readOneTimeToken, takeOneTimeItem } from '../one-time-token.ts'
import { proveEmail, useProof } from '../passcodes/prove-email.ts'
import { emailToProve } from '../providers/identity-claims.ts'
import { challengeOf } from '../providers/pending-sign-in.ts'
import { hideRefusal, noteSignIn } from '../refusals/refusal-cause.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'
import { type IssuedSession, stageSignIn } from '../sessions/issue-session.ts'
import type { SignInContext } from '../sign-in-context.ts'
import type { SignInCode } from './sign-in-code.ts'

export const RedeemFields = v.object({
  code: Text(512),
  code_verifier: RawText(512),
  passcode: v.optional(NullableText(255)),
})
export type Redeem = v.InferOutput<typeof RedeemFields>

/** Characters and length of a PKCE verifier (RFC 7636, 4.1). */
const verifierForm = /^[A-Za-z0-9._~-]{43,128}$/

export function matchesChallenge(verifier: string, challenge: string): boolean {
  if (!verifierForm.test(verifier)) return false
  const [actual, expected] = [Buffer.from(challengeOf(verifier)), Buffer.from(challenge)]
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

/**
 * Returns the identity behind a code. If the identity's email must be proven, verifies the passcode first.
 * @throws ApiError 422 for a missing passcode; SignInRefused
 */
async function provenIdentity(accountId: string, code: string, stored: SignInCode, draft: Draft<Redeem>) {
  const { identity, context } = stored
  const email = await emailToProve(accountId, identity, context)
  if (email === null) return { identity, proof: null }
  const { passcode } = draft.fields
  if (!passcode) {
    draft.reject('passcode', "can't be blank")
    throw invalid(draft.faults)
  }
  await Promise.all([limitAttempts(accountId, 'passcodes'), limitEmailAttempts(email)])
  const proof = await proveEmail(accountId, email, passcode, { purpose: 'proof', code })
  return { identity: { ...identity, email: { verified: email } }, proof }
}

/**
 * Exchanges a code for a session (I2.6). A wrong PKCE verifier invalidates the code.
 * @param only context that the code must have; any context if it is undefined
 * @throws ApiError `unauthorized`
 */
export async function redeemCode(
  draft: Draft<Redeem>,
  origin: Origin,
  only?: SignInContext,
): Promise<{ data: IssuedSession }> {
  const { code, code_verifier } = draft.done()
  const token = readOneTimeToken(code, 'code')
  return hideRefusal(token?.accountId ?? null, async () => {
    if (!token) throw new SignInRefused('code_unknown')
    const { accountId, key } = token
    const readCode = () => readOneTimeItem<SignInCode>(key, clock.now())
    const stored = await readCode()
    if (!stored) throw new SignInRefused('code_unknown')
    note({ account_id: accountId })
    if (!matchesChallenge(code_verifier, stored.code_challenge)) {
      await takeOneTimeItem(key, clock.now())
      throw new SignInRefused('verifier')
    }
    const { provider, context } = stored
    if (only !== undefined && context !== only) throw new SignInRefused('code_unknown', null, { context })
    const { identity, proof } = await provenIdentity(accountId, key.sk, stored, draft)
    const mailedTo = proof?.actorId ?? stored.actor_id
    const issued = await commitInParts({ accountId, subject: null }, async (transaction) => {
      // Reads the code again, because a concurrent request may have used the code in the meantime.
      if (!(await readCode())) throw new SignInRefused('code_unknown')
      return stageSignIn(transaction, { identity, mailedTo, provider, context, origin }, async () => {
        transaction.remove(key)
        if (proof) await useProof(transaction, proof)
      })
    })
    noteSignIn()
    return { data: issued }
  })
}
