import { clock } from '../../core/clock.ts'
import { lastFaultKey, noteFault } from '../../domain/auth-providers/last-fault.ts'
import type { PendingSignIn } from '../providers/pending-sign-in.ts'
import { faultSentence } from '../refusals/fault-sentence.ts'
import { noteRefusal } from '../refusals/note-sign-in.ts'
import type { SignInRefused } from '../refusals/sign-in-refused.ts'

/** Notes why nobody was signed in: for the operator, and where the provider is at fault, for administrators. */
export async function noteFailure(
  accountId: string,
  { kind, id }: PendingSignIn['provider'],
  refused: SignInRefused,
): Promise<void> {
  noteRefusal(accountId, refused)
  const sentence = faultSentence(refused)
  if (sentence !== null) await noteFault(lastFaultKey(accountId, kind, id), sentence, clock.now())
}
