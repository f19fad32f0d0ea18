import * as v from 'valibot'
import { commit } from '../commit/commit.ts'
import { unauthorized } from '../core/errors.ts'
import type { Origin } from '../core/subject.ts'
import type { AccountRow } from '../domain/accounts/account.ts'
import { OneOf, Text } from '../values/fields.ts'
import { SignInEmail } from './email-field.ts'
import { stageSession } from './issue-session.ts'
import { limitAttempts, limitEmailAttempts } from './limit-attempts.ts'
import { noteRefusal, noteSignIn } from './note-sign-in.ts'
import { passcodeProvider } from './passcode-provider.ts'
import { proveEmail, useProof } from './prove-email.ts'
import { signInContexts } from './sign-in-context.ts'
import { SignInRefused } from './sign-in-refused.ts'
import { stageIdentity } from './stage-identity.ts'

export const VerifyFields = v.object({ email: SignInEmail, passcode: Text(255), context: OneOf(signInContexts) })

/**
 * Signs somebody in who knows the passcode that was mailed to the address (I2.5, I2.6). Passcode, identity and session go in
 * one commit.
 * @throws ApiError `unauthorized`, the same for every reason; `rate_limited`
 */
export async function verifyPasscode(
  account: AccountRow,
  { email, passcode, context }: v.InferOutput<typeof VerifyFields>,
  origin: Origin,
) {
  const accountId = account.id
  await Promise.all([limitAttempts(accountId, 'passcodes'), limitEmailAttempts(email)])
  try {
    const provider = await passcodeProvider(accountId)
    if (!provider) throw new SignInRefused('provider_disabled')
    const use = { purpose: 'sign_in', providerId: provider.id, context } as const
    const proof = await proveEmail(accountId, email, passcode, use)
    const issued = await commit({ accountId, subject: null }, async (transaction) => {
      await useProof(transaction, proof)
      const actorId = await stageIdentity(transaction, {
        issuer: provider.issuer,
        idpId: email.toLowerCase(),
        email: { verified: email },
        profile: { email },
      })
      if (actorId !== proof.actorId) throw new SignInRefused('passcode', proof.actorId)
      return stageSession(transaction, { actorId, provider: { kind: 'email_otp', id: provider.id }, context, origin })
    })
    noteSignIn()
    return { data: issued }
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error
    noteRefusal(accountId, error)
    throw unauthorized()
  }
}
