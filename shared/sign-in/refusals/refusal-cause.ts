import type { Refusal, SignInRefused } from './sign-in-refused.ts'

/**
 * Where a refusal comes from, as alarms tell them apart: a provider that fails, or is set up so that nobody gets in by it; somebody who
 * tries what they do not know; or the person, whom it is right to refuse.
 */
type Cause = 'provider' | 'guess' | 'person'

const causes: Record<Refusal, Cause> = {
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
  // What a browser brings of it, anybody can have made up; what a token endpoint says of us is below.
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
}

/** What a token endpoint says of a client that it does not know, or whose secret has ended (RFC 6749, 5.2). */
const clientErrors = ['invalid_client', 'unauthorized_client']

export function causeOf({ reason, details: { at, error = '' } }: SignInRefused): Cause {
  if (reason === 'provider_refused' && at === 'token' && clientErrors.includes(error)) return 'provider'
  // What a browser brings, anybody can have made up.
  if (reason === 'provider_answer' && at === 'authorization') return 'guess'
  return causes[reason]
}
