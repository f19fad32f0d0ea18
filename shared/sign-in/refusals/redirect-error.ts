import { causeOf } from './refusal-cause.ts'
import type { SignInRefused } from './sign-in-refused.ts'

/** Value of `error` in the redirect to a client or portal (RFC 6749, 4.1.2.1). */
export type RedirectError = 'access_denied' | 'temporarily_unavailable' | 'server_error'

/** Errors by which a provider reports its own trouble. */
const outages = ['server_error', 'temporarily_unavailable', 'slow_down']

/** Errors about the request or the app that sends it. An administrator fixes those; a retry does not help. */
export const setupErrors = [
  'invalid_request',
  'invalid_client',
  'unauthorized_client',
  'invalid_scope',
  'unsupported_response_type',
  'unsupported_grant_type',
  'invalid_request_object',
  'invalid_request_uri',
  'request_not_supported',
  'request_uri_not_supported',
  'invalid_dpop_proof',
  'use_dpop_nonce',
  'invalid_target',
]

/** Checks of an answer that fail on each try: its encryption, its algorithm, a challenge to the client. */
const setupChecks = ['OAUTH_UNSUPPORTED_OPERATION', 'OAUTH_KEY_SELECTION_FAILED', 'OAUTH_WWW_AUTHENTICATE_CHALLENGE']

/** Checks that fail on a malformed answer, such as an outage page. */
const formChecks = [
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_INVALID_RESPONSE',
]

/** Maps a refusal to the error of the redirect. A fault of the provider is not a refusal of the person. */
export function redirectErrorOf(refused: SignInRefused): RedirectError {
  const { reason, details } = refused
  const { error = '', check = '', failure = '' } = details
  switch (reason) {
    case 'provider_unreachable':
      // An address that is never called stays refused on every retry.
      return failure === 'refused' ? 'server_error' : 'temporarily_unavailable'
    case 'provider_refused':
      if (outages.includes(error)) return 'temporarily_unavailable'
      return setupErrors.includes(error) ? 'server_error' : 'access_denied'
    case 'provider_answer':
      return setupChecks.includes(check) ? 'server_error' : 'temporarily_unavailable'
    case 'userinfo':
      return formChecks.includes(check) ? 'temporarily_unavailable' : 'server_error'
    default:
      return causeOf(refused) === 'provider' ? 'server_error' : 'access_denied'
  }
}
