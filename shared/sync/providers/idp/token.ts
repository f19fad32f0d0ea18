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
import { fieldsOf } from '../../../core/json/is-object.ts'
import type { GuardedFetch } from '../../../outside/guarded-fetch.ts'
import { ProviderFault } from '../../provider-fault.ts'
import type { Answer, Call } from '../call.ts'
import { exchange } from '../exchange.ts'
import { textOf } from '../rows-of.ts'
import { newTokenOf, tokenErrorOf } from '../token-answer.ts'
import { type AccessToken, type NewToken, type TokenSource, tokenSource } from '../token-source.ts'
import type { IdpConnection } from './connection.ts'
import { idpTokenFault, scopes } from './errors.ts'

/** The guarded transport decides what may be called, by HTTP as well where one machine allows it. */
const through = (fetch: GuardedFetch) => ({
  [customFetch]: (url: string, request: { method: string; headers: Record<string, string>; body?: unknown }) =>
    fetch(url, request as Parameters<GuardedFetch>[1]),
  [allowInsecureRequests]: true,
})

function signingKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' })
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  return crypto.subtle.importKey('pkcs8', new Uint8Array(der), algorithm, false, ['sign'])
}

/** The keys of one run: who the service is, and whom its tokens are bound to (RFC 9449). */
type Keys = { signing: webcrypto.CryptoKey; proof: webcrypto.CryptoKeyPair }

function checkScopes(granted: unknown): void {
  const text = textOf(granted)
  const missing = text === null ? [] : scopes.filter((scope) => !text.split(' ').includes(scope))
  if (missing.length === 0) return
  const sentence = `The token of the service app lacks ${missing.join(', ')}: a super administrator has to grant it.`
  throw new ProviderFault('fatal', sentence)
}

/**
 * Tokens by client credentials with an assertion signed by the directory's own key (RFC 7523), bound to a key of the run
 * where the app asks for it: the proof is always sent, and the provider's nonce with it once there is one.
 */
export function idpTokens(
  connection: IdpConnection,
  fetch: GuardedFetch,
): {
  tokens: TokenSource
  send(call: Call, token: AccessToken): Promise<Response>
} {
  const { baseUrl, clientId, kid } = connection
  const url = new URL(`${baseUrl}/oauth2/v1/token`)
  const call: Call = { method: 'POST', url }
  const server = { issuer: baseUrl, token_endpoint: url.href }
  const client = { client_id: clientId }
  let made: Promise<Keys> | undefined
  const keys = () => {
    made ??= Promise.all([signingKey(connection.privateKey), generateKeyPair('ES256')]).then(([signing, proof]) => ({
      signing,
      proof,
    }))
    return made
  }

  async function request(): Promise<NewToken> {
    const { signing, proof } = await keys()
    const auth = PrivateKeyJwt(
      { key: signing, kid },
      {
        [modifyAssertion]: (_header, payload) => {
          payload.aud = url.href
        },
      },
    )
    const options = { DPoP: DPoP({}, proof), ...through(fetch) }
    const send = () => clientCredentialsGrantRequest(server, client, auth, { scope: scopes.join(' ') }, options)
    let answer: Answer = await exchange(call, send, [connection.privateKey])
    // The proof has remembered the nonce.
    if (tokenErrorOf(answer).error === 'use_dpop_nonce') answer = await exchange(call, send, [connection.privateKey])
    if (answer.status !== 200) throw idpTokenFault(call, answer)
    checkScopes(fieldsOf(answer.json).scope)
    return newTokenOf(call, answer)
  }

  let resourceProof: ReturnType<typeof DPoP> | undefined
  async function send({ method = 'GET', url: target, headers }: Call, token: AccessToken): Promise<Response> {
    const { proof } = await keys()
    resourceProof ??= DPoP({}, proof)
    const options = { ...through(fetch), ...(token.type === 'dpop' && { DPoP: resourceProof }) }
    const once = () => protectedResourceRequest(token.text, method, target, new Headers(headers), null, options)
    try {
      return await once().catch((error) => (isDPoPNonceError(error) ? once() : Promise.reject(error)))
    } catch (error) {
      // A challenge is an answer like another here.
      if (error instanceof WWWAuthenticateChallengeError) return error.response
      throw error
    }
  }

  return { tokens: tokenSource(request), send }
}
