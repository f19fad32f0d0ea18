import { createPrivateKey, type webcrypto } from 'node:crypto'
import {
  allowInsecureRequests,
  clientCredentialsGrantRequest,
  customFetch,
  DPoP,
  generateKeyPair,
  isDPoPNonceError,
  modifyAssertion,
  PrivateKeyJwt,
  protectedResourceRequest,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi'
import { fieldsOf } from '../../core/json/is-object.ts'
import type { GuardedFetch } from '../../outside/guarded-fetch.ts'
import { ProviderFault } from '../adapter.ts'
import { type AccessToken, type Call, exchange, type Provider, type ProviderResponse } from './call.ts'
import {
  excerptForOperator,
  type FaultRule,
  faultClassifier,
  providerNow,
  providerRefusals,
  tokenFaultClassifier,
} from './faults.ts'
import { memoize, textOrNull } from './rows.ts'
import { parseToken, tokenSource } from './tokens.ts'

/** Settings and credentials of an identity provider directory (A26.1). */
export type IdpConnection = {
  /** API address: `https://{idp_domain}`, or the address in the deployment's settings. */
  baseUrl: string
  issuer: string
  clientId: string
  kid: string
  privateKey: string
}

const scopes = ['okta.users.read', 'okta.groups.read', 'okta.apps.read']
const wrongClient = 'client_id must be the service app at which the public key of this directory is registered'

/** Returns the milliseconds until the rate limit is reset, by the provider's clock; undefined if the response has no reset time. */
export function resetMs({ headers }: ProviderResponse): number | undefined {
  const reset = Number(headers.get('x-rate-limit-reset'))
  if (!(reset > 0)) return undefined
  // Adds a second, because the header has a resolution of whole seconds.
  return Math.min(Math.max(reset * 1_000 - providerNow(headers), 0) + 1_000, 120_000)
}

function adviseRights({ answer }: { answer: ProviderResponse }): string {
  const challenge = answer.headers.get('www-authenticate') ?? ''
  const scope = /insufficient_scope/.test(challenge) && /\bscope="([^"]{1,200})"/.exec(challenge)?.[1]
  if (scope) return `the service app lacks the scope ${excerptForOperator(answer, scope)}`
  return 'the service app needs an administrator role that can view users, groups and applications'
}

const throttled: FaultRule = { status: [429], is: 'retry', retryAfterMs: resetMs }

export const idpFault = faultClassifier(
  ({ errorCode, errorSummary }) => [errorCode, errorSummary],
  [
    { status: [401], is: 'token_expired', advice: wrongClient },
    { status: [403], is: 'fatal', advice: adviseRights },
    // Excludes the paths of collections, because a missing collection means that the settings are wrong, not that an object was deleted.
    { status: [404], when: ({ call }) => call.url.pathname.split('/').length > 4, is: 'object_gone' },
    throttled,
  ],
)

/** Classifies token errors. A refusal is fatal, because only an administrator can resolve it. */
const tokenFault = tokenFaultClassifier([
  {
    status: providerRefusals,
    when: ({ body }) => body.error === 'invalid_scope' || body.error === 'consent_required',
    is: 'fatal',
    advice: `a super administrator must grant the service app ${scopes.join(', ')}`,
  },
  {
    status: providerRefusals,
    when: ({ answer, body }) => body.error === 'access_denied' || answer.status === 403,
    is: 'fatal',
    advice: 'a network zone or policy of the organisation refuses this service',
  },
  { status: providerRefusals, is: 'fatal', advice: wrongClient },
  throttled,
])

/**
 * Options that route requests through the guarded fetch. The library's HTTPS check is disabled, because the guarded fetch decides whether
 * plain HTTP is allowed.
 */
const fetchOptions = (fetch: GuardedFetch) => ({
  [customFetch]: (url: string, request: { method: string; headers: Record<string, string>; body?: unknown }) =>
    fetch(url, request as Parameters<GuardedFetch>[1]),
  [allowInsecureRequests]: true,
})

function signingKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' })
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  return crypto.subtle.importKey('pkcs8', new Uint8Array(der), algorithm, false, ['sign'])
}

function checkScopes(granted: unknown): void {
  const found = textOrNull(granted)?.split(' ') ?? scopes
  const missing = scopes.filter((scope) => !found.includes(scope))
  if (missing.length === 0) return
  const sentence = `The token of the service app lacks ${missing.join(', ')}: a super administrator must grant it.`
  throw new ProviderFault('fatal', sentence)
}

/**
 * Requests tokens with the client credentials grant and an assertion signed with the directory's key (RFC 7523). Each request has a DPoP
 * proof (RFC 9449), so that the provider can bind tokens to the run's key.
 */
export function idpTokens(connection: IdpConnection, fetch: GuardedFetch): Pick<Provider, 'tokens' | 'send'> {
  const { baseUrl, clientId, kid, privateKey } = connection
  const url = new URL(`${baseUrl}/oauth2/v1/token`)
  const call: Call = { method: 'POST', url }
  const server = { issuer: baseUrl, token_endpoint: url.href }
  /** Signing key of the directory, and the key pair of this run to which tokens are bound (RFC 9449). */
  const keys = memoize(() => Promise.all([signingKey(privateKey), generateKeyPair('ES256')]))

  async function request() {
    const [key, proof] = await keys.get()
    const setAudience = (_header: unknown, payload: object) => Object.assign(payload, { aud: url.href })
    const auth = PrivateKeyJwt({ key, kid }, { [modifyAssertion]: setAudience })
    const options = { DPoP: DPoP({}, proof), ...fetchOptions(fetch) }
    const send = () =>
      clientCredentialsGrantRequest(server, { client_id: clientId }, auth, { scope: scopes.join(' ') }, options)
    let answer: ProviderResponse = await exchange(call, send, [privateKey])
    // Repeats the request with a DPoP proof that contains the provider's nonce.
    if (fieldsOf(answer.json).error === 'use_dpop_nonce') answer = await exchange(call, send, [privateKey])
    const token = parseToken(call, answer, tokenFault)
    checkScopes(fieldsOf(answer.json).scope)
    return token
  }

  let resourceProof: ReturnType<typeof DPoP> | undefined
  async function send({ method = 'GET', url: target, headers }: Call, token: AccessToken): Promise<Response> {
    const [, proof] = await keys.get()
    resourceProof ??= DPoP({}, proof)
    const options = { ...fetchOptions(fetch), ...(token.type === 'dpop' && { DPoP: resourceProof }) }
    const once = () => protectedResourceRequest(token.text, method, target, new Headers(headers), null, options)
    try {
      return await once().catch((error) => (isDPoPNonceError(error) ? once() : Promise.reject(error)))
    } catch (error) {
      // Returns the response that contains a challenge, so that it is classified like any other response.
      if (error instanceof WWWAuthenticateChallengeError) return error.response
      throw error
    }
  }

  return { tokens: tokenSource(request), send }
}
