import * as v from 'valibot'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import type { Origin } from '../../core/subject.ts'
import type { AccountRow } from '../../domain/accounts/account.ts'
import { OneOf, Text } from '../../values/fields.ts'
import { noteSignIn } from '../refusals/note-sign-in.ts'
import { withoutReason } from '../refusals/without-reason.ts'
import { stageSignIn } from '../sessions/stage-sign-in.ts'
import { signInContexts } from '../sign-in-context.ts'
import { useProof } from './prove-email.ts'
import { provePasscode } from './prove-passcode.ts'
import { SignInEmail } from './sign-in-email.ts'

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
    const signIn = { identity, mailedTo: proof.actorId, provider, context, origin }
    const issued = await commitInParts({ accountId, subject: null }, (transaction) =>
      stageSignIn(transaction, signIn, () => useProof(transaction, proof)),
    )
    noteSignIn()
    return { data: issued }
  })
}
