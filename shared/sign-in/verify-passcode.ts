import * as v from 'valibot'
import { commit } from '../commit/commit.ts'
import type { Origin } from '../core/subject.ts'
import type { AccountRow } from '../domain/accounts/account.ts'
import { OneOf, Text } from '../values/fields.ts'
import { SignInEmail } from './email-field.ts'
import { stageSession } from './issue-session.ts'
import { noteSignIn } from './note-sign-in.ts'
import { useProof } from './prove-email.ts'
import { provePasscode } from './prove-passcode.ts'
import { signInContexts } from './sign-in-context.ts'
import { SignInRefused } from './sign-in-refused.ts'
import { stageIdentity } from './stage-identity.ts'
import { withoutReason } from './without-reason.ts'

export const VerifyFields = v.object({ email: SignInEmail, passcode: Text(255), context: OneOf(signInContexts) })

/**
 * Signs somebody in who knows the passcode that was mailed to the address (I2.5, I2.6). Passcode, identity and session go in
 * one commit.
 * @throws ApiError `unauthorized`, the same for every reason; `rate_limited`
 */
export async function verifyPasscode(account: AccountRow, entered: v.InferOutput<typeof VerifyFields>, origin: Origin) {
  const accountId = account.id
  const { context } = entered
  return withoutReason(accountId, async () => {
    const { provider, proof, identity } = await provePasscode(accountId, entered)
    const issued = await commit({ accountId, subject: null }, async (transaction) => {
      await useProof(transaction, proof)
      const actorId = await stageIdentity(transaction, identity)
      if (actorId !== proof.actorId) throw new SignInRefused('passcode', proof.actorId)
      return stageSession(transaction, { actorId, provider, context, origin })
    })
    noteSignIn()
    return { data: issued }
  })
}
