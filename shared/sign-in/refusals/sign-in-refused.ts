/** Cause of a refusal, for alarms: a failing or misconfigured provider, a possible attack, or the person. */
export type Cause = 'provider' | 'guess' | 'person'

/** Refusal reasons and their causes. Logs and metrics contain the reason, but responses never do (I2.2(4), I2.5). */
export const causes = {
  account_disabled: 'person',
  provider_disabled: 'person',
  provider_context: 'person',
  actor_unknown: 'guess',
  actor_disabled: 'person',
  actor_type: 'person',
  actor_not_admin: 'person',
  email_otp_not_allowed: 'person',
  above_users_limit: 'person',
  mails_not_configured: 'person',
  too_many_mails: 'guess',
  email_invalid: 'person',
  identity_of_directory: 'person',
  identity_of_admin: 'person',
  identity_not_vouched_for: 'person',
  email_missing: 'provider',
  email_not_verified: 'person',
  email_not_vouched_for: 'person',
  domain_other: 'person',
  email_domain_other: 'person',
  tenant_other: 'person',
  subject_missing: 'provider',
  provider_not_configured: 'provider',
  provider_changed: 'person',
  declined: 'person',
  // Anybody can forge an error in the browser, so the cause is not `provider`. `causeOf` handles errors from the token endpoint.
  provider_refused: 'person',
  provider_unreachable: 'provider',
  provider_answer: 'provider',
  callback_other: 'guess',
  id_token: 'provider',
  userinfo: 'provider',
  passcode: 'guess',
  state_unknown: 'guess',
  code_unknown: 'guess',
  verifier: 'guess',
} satisfies Record<string, Cause>
export type Refusal = keyof typeof causes
export const refusals = Object.keys(causes) as Refusal[]

export class SignInRefused extends Error {
  readonly reason: Refusal
  readonly actorId: string | null
  /** Details for the operator, such as names of claims and checks, without personal data. */
  readonly details: Record<string, string>

  constructor(reason: Refusal, actorId: string | null = null, details: Record<string, string> = {}) {
    super(reason)
    this.reason = reason
    this.actorId = actorId
    this.details = details
  }
}
