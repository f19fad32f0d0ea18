import { measure, note } from '../../core/logging/invocation.ts'
import { logLine } from '../../core/logging/log.ts'
import { causeOf } from './refusal-cause.ts'
import type { SignInRefused } from './sign-in-refused.ts'

/** Counts a sign-in that gave a session, once its commit is written. */
export const noteSignIn = (): void => measure('sign_ins')

/**
 * Tells the operator, and nobody else, why a sign-in was refused: a line in the service's own log and a metric by reason.
 * No personal data but the id of the actor, where it is known.
 */
export function noteRefusal(accountId: string | null, refused: SignInRefused): void {
  const { reason, actorId, details } = refused
  note({ reason })
  measure('sign_ins_refused')
  const cause = causeOf(refused)
  if (cause !== 'person') measure(cause === 'provider' ? 'sign_ins_failed' : 'sign_ins_guessed')
  logLine('WARN', 'sign_in_refused', { account_id: accountId, actor_id: actorId, ...details })
}
