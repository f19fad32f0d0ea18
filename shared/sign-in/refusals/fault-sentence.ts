import { type RedirectError, redirectErrorOf, setupErrors } from './redirect-error.ts'
import type { SignInRefused } from './sign-in-refused.ts'

const places: Record<string, string> = {
  discovery: 'server of the discovery document',
  token: 'token endpoint or key set',
  userinfo: 'userinfo endpoint',
}

const failures: Record<string, string> = {
  timeout: 'did not answer in time',
  unreachable: 'could not be reached',
  too_large: 'gave an answer that is too large',
  refused: 'has a private, loopback or link-local address, which the service never calls',
}

/** Contains only names of errors and checks, never free text of a provider or a browser. */
function refusedRequest(at: string | undefined, error: string): string {
  if (at === 'authorization') {
    return `A browser came back from the provider with the error ${error}. Compare the app's registration at the provider with the settings here.`
  }
  const isClient = error === 'invalid_client' || error === 'unauthorized_client'
  return isClient
    ? `The token endpoint refused this service (${error}). The client ID or the client secret is wrong, or has expired.`
    : `The token endpoint refused the request (${error}). The app's registration at the provider may require something that this service does not send.`
}

function sentenceOf({ reason, details }: SignInRefused, error: RedirectError): string {
  const { at = '', failure = '', check = '', claim } = details
  const place = places[at] ?? 'provider'
  const checked = [check, claim && `claim ${claim}`].filter(Boolean).join(', ')
  const inBrackets = checked === '' ? '' : ` (${checked})`
  switch (reason) {
    case 'provider_unreachable':
      return `The ${place} ${failures[failure] ?? 'could not be reached'}.`
    case 'provider_refused': {
      const code = details.error ?? ''
      if (error !== 'temporarily_unavailable' || setupErrors.includes(code)) return refusedRequest(at, code)
      // Anybody can bring an error in a browser, so the sentence does not name the provider as its source.
      return at === 'authorization'
        ? `A browser came back from the provider with the error ${code}. The provider may be unavailable at the moment.`
        : `The provider reported that it is unavailable at the moment (${code}).`
    }
    case 'provider_answer':
      if (at === 'discovery') return 'The discovery document is missing or incomplete, or names another issuer.'
      if (at === 'authorization') return 'A browser came back from the provider with neither a code nor an error.'
      return `The ${place} gave an answer that cannot be used${inBrackets}.`
    case 'id_token':
      return `The ID token failed its verification${inBrackets}.`
    case 'userinfo':
      return `The userinfo endpoint gave an answer that cannot be used${inBrackets}.`
    case 'email_missing':
    case 'subject_missing':
      return `The provider did not send the claim ${claim}. Its app may lack a scope or a claim.`
    default:
      return 'This deployment has no app for providers of this kind.'
  }
}

/** The sentence for administrators about a fault of a provider; null for a refusal of the person. */
export function faultSentence(refused: SignInRefused): string | null {
  const error = redirectErrorOf(refused)
  return error === 'access_denied' ? null : sentenceOf(refused, error)
}
