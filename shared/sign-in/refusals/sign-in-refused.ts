/**
 * Why a sign-in was refused, by the names that the service's own log and metrics have for it. Callers never hear them
 * (I2.2(4), I2.5).
 */
export const refusals = [
  'account_disabled',
  'provider_disabled',
  'provider_context',
  'actor_unknown',
  'actor_disabled',
  'actor_type',
  'actor_not_admin',
  'email_otp_not_allowed',
  'above_users_limit',
  'mails_not_configured',
  'too_many_mails',
  'email_invalid',
  'identity_of_directory',
  'identity_of_admin',
  'identity_not_vouched_for',
  'email_missing',
  'email_not_verified',
  'email_not_vouched_for',
  'domain_other',
  'email_domain_other',
  'tenant_other',
  'subject_missing',
  'provider_not_configured',
  'provider_changed',
  'declined',
  'provider_refused',
  'provider_unreachable',
  'provider_answer',
  'callback_other',
  'id_token',
  'userinfo',
  'passcode',
  'state_unknown',
  'code_unknown',
  'verifier',
] as const
export type Refusal = (typeof refusals)[number]

/** A sign-in that is refused. It leaves a commit unwritten; whoever answers the request tells it as the contract says. */
export class SignInRefused extends Error {
  readonly reason: Refusal
  /** Whom it was about, where that is known. */
  readonly actorId: string | null
  /** What else the operator is told: names of claims and of checks, never what somebody is called. */
  readonly details: Record<string, string>

  constructor(reason: Refusal, actorId: string | null = null, details: Record<string, string> = {}) {
    super(reason)
    this.reason = reason
    this.actorId = actorId
    this.details = details
  }
}
