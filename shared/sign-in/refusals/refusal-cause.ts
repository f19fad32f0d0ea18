import { unauthorized } from '../../core/errors.ts'
import { measure, note } from '../../core/logging/invocation.ts'
import { logLine } from '../../core/logging/log.ts'
import { type Cause, causes, SignInRefused } from './sign-in-refused.ts'

/** Error codes that a token endpoint returns for an unknown client or an invalid secret (RFC 6749, 5.2). */
const clientErrors = ['invalid_client', 'unauthorized_client']

function causeOf({ reason, details: { at, error = '' } }: SignInRefused): Cause {
  if (reason === 'provider_refused' && at === 'token' && clientErrors.includes(error)) return 'provider'
  // Anybody can forge a response in the browser, so a malformed response may be an attack.
  if (reason === 'provider_answer' && at === 'authorization') return 'guess'
  return causes[reason]
}

const outages = ['server_error', 'temporarily_unavailable', 'slow_down']

/** Errors about the request or the app registration, which only an administrator can fix. */
const setupErrors = [
  ...clientErrors,
  'invalid_request',
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

/** Failed checks of a response that a retry does not fix: encryption, algorithm, or a challenge to the client. */
const setupChecks = ['OAUTH_UNSUPPORTED_OPERATION', 'OAUTH_KEY_SELECTION_FAILED', 'OAUTH_WWW_AUTHENTICATE_CHALLENGE']

/** Failed checks that indicate a malformed response, such as an outage page. */
const formChecks = [
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_INVALID_RESPONSE',
]

const sourceNames: Record<string, string> = {
  discovery: 'server of the discovery document',
  token: 'token endpoint or key set',
  userinfo: 'userinfo endpoint',
}

const failures: Record<string, string> = {
  timeout: 'did not respond in time',
  unreachable: 'could not be reached',
  too_large: 'returned a response that is too large',
  refused: 'has a private, loopback or link-local address, which the service never calls',
}

const fromBrowser = 'A browser came back from the provider with'

/** Returns the fault for a reported error code. The sentence never contains free text from a provider or browser. */
function reportedFault(at: string, error: string): ProviderFault | null {
  // Anybody can forge an error in the browser, so the sentence does not name the provider as the source.
  const isBrowser = at === 'authorization'
  if (outages.includes(error)) {
    return temporary(
      isBrowser
        ? `${fromBrowser} the error ${error}. The provider may be unavailable at the moment.`
        : `The provider reported that it is unavailable at the moment (${error}).`,
    )
  }
  if (!setupErrors.includes(error)) return null
  if (isBrowser) {
    return permanent(
      `${fromBrowser} the error ${error}. Compare the app's registration at the provider with the settings here.`,
    )
  }
  return permanent(
    clientErrors.includes(error)
      ? `The token endpoint refused this service (${error}). The client ID or the client secret is wrong, or has expired.`
      : `The token endpoint refused the request (${error}). The app's registration at the provider may require something that this service does not send.`,
  )
}

/** `error` is the code in the redirect to the client or portal (RFC 6749, 4.1.2.1). Administrators see `sentence`. */
type ProviderFault = { error: 'temporarily_unavailable' | 'server_error'; sentence: string }

const temporary = (sentence: string): ProviderFault => ({ error: 'temporarily_unavailable', sentence })
const permanent = (sentence: string): ProviderFault => ({ error: 'server_error', sentence })

/** Returns the provider fault behind a refusal; null if the provider is not at fault. */
export function toProviderFault({ reason, details }: SignInRefused): ProviderFault | null {
  const { at = '', error = '', failure = '', check = '', claim } = details
  const source = sourceNames[at] ?? 'provider'
  const checked = [check, claim && `claim ${claim}`].filter(Boolean).join(', ')
  const unusable = `returned a response that cannot be used${checked && ` (${checked})`}.`
  switch (reason) {
    case 'provider_unreachable':
      return (failure === 'refused' ? permanent : temporary)(
        `The ${source} ${failures[failure] ?? 'could not be reached'}.`,
      )
    case 'provider_refused':
      return reportedFault(at, error)
    case 'provider_answer':
      if (at === 'discovery')
        return temporary('The discovery document is missing or incomplete, or names another issuer.')
      if (at === 'authorization') return temporary(`${fromBrowser} neither a code nor an error.`)
      return (setupChecks.includes(check) ? permanent : temporary)(`The ${source} ${unusable}`)
    case 'userinfo':
      return (formChecks.includes(check) ? temporary : permanent)(`The userinfo endpoint ${unusable}`)
    case 'id_token':
      return permanent(`The ID token failed its verification${checked && ` (${checked})`}.`)
    case 'email_missing':
    case 'subject_missing':
      return permanent(`The provider did not send the claim ${claim}. Its app may lack a scope or a claim.`)
    case 'provider_not_configured':
      return permanent('This deployment has no app for providers of this kind.')
    default:
      return null
  }
}

export const noteSignIn = (): void => measure('sign_ins')

/** Logs a refusal for the operator and counts it in metrics. The actor's id is the only personal data in the log. */
export function noteRefusal(accountId: string | null, refused: SignInRefused): void {
  const { reason, actorId, details } = refused
  note({ reason })
  measure('sign_ins_refused')
  const cause = causeOf(refused)
  if (cause !== 'person') measure(cause === 'provider' ? 'sign_ins_failed' : 'sign_ins_guessed')
  logLine('WARN', 'sign_in_refused', { account_id: accountId, actor_id: actorId, ...details })
}

/**
 * Runs `work`. Logs a refusal and hides its reason. @throws ApiError `unauthorized` for a refusal, and any other error that `work` throws
 */
export async function hideRefusal<T>(accountId: string | null, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error
    noteRefusal(accountId, error)
    throw unauthorized()
  }
}
