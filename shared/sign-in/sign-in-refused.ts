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
  'email_invalid',
  'identity_of_directory',
] as const
export type Refusal = (typeof refusals)[number]

/** A sign-in that is refused. It leaves a commit unwritten; whoever answers the request tells it as the contract says. */
export class SignInRefused extends Error {
  readonly reason: Refusal
  /** Whom it was about, where that is known. */
  readonly actorId: string | null

  constructor(reason: Refusal, actorId: string | null = null) {
    super(reason)
    this.reason = reason
    this.actorId = actorId
  }
}
