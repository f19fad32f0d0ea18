import * as client from 'openid-client'
import { clock } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { fieldsOf } from '../../core/json/is-object.ts'
import { redactSecrets } from '../../core/logging/describe-error.ts'
import type { DiscoveryDocument } from '../../domain/auth-providers/discovery-document.ts'
import type { GuardedFetch } from '../../outside/guarded-fetch.ts'
import { outsideErrorOf } from '../../outside/outside-error.ts'
import { ResponseCache } from '../../outside/response-cache.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'
import type { Claims } from './identity-claims.ts'
import type { Proofs } from './pending-sign-in.ts'
import type { App } from './provider-app.ts'

/** Key sets, cached by issuer and address for ten minutes. A token with an unknown key causes an immediate request. */
const keys = new ResponseCache<client.ExportedJWKSCache>({ ms: 10 * 60_000, maxEntries: 1_000 })
const maxCachedText = 100_000
/**
 * Age in seconds that is assigned to cached key sets. For an unknown key, the library reads a key set again only if the set is at least a
 * minute old.
 */
const staleSeconds = 61
/** Tolerance in seconds for differences from the provider's clock (I2.2(3)). Equals the library's tolerance for `exp` and `nbf`. */
const toleranceSeconds = 30

type ProviderAnswer = {
  app: App
  document: DiscoveryDocument
  query: URLSearchParams
  state: string
  callbackUri: string
  proofs: Proofs
  fetch: GuardedFetch
}

/** `claims` are the verified claims of the ID token. `userinfo` requests additional claims; null without a userinfo endpoint. */
type ExchangeResult = { claims: Claims; userinfo: (() => Promise<Claims>) | null }

const authenticationOf = ({ token_endpoint_auth_methods_supported: methods }: DiscoveryDocument, secret: string) =>
  // Prefers to send the secret in the request body, because providers differ in how they decode special characters in the header.
  methods?.includes('client_secret_post') ? client.ClientSecretPost(secret) : client.ClientSecretBasic(secret)

const keysOf = ({ issuer, jwks_uri }: DiscoveryDocument): string => `${issuer} ${jwks_uri}`

function useCachedKeys(config: client.Configuration, document: DiscoveryDocument): void {
  const cached = keys.get(keysOf(document))
  if (cached)
    client.setJwksCache(config, { jwks: cached.jwks, uat: Math.floor(clock.now() / 1_000_000) - staleSeconds })
}

function cacheKeys(config: client.Configuration, document: DiscoveryDocument): void {
  const read = client.getJwksCache(config)
  // Skips key sets that came from the cache. Their assigned age identifies them.
  if (!read || read.uat < Math.floor(clock.now() / 1_000_000) - staleSeconds / 2) return
  if (JSON.stringify(read.jwks).length <= maxCachedText) keys.set(keysOf(document), read)
}

async function createConfiguration({ app, document, fetch }: ProviderAnswer): Promise<client.Configuration> {
  const authentication = authenticationOf(document, await app.secret())
  const config = new client.Configuration(document, app.clientId, undefined, authentication)
  // Enables the signature check of ID tokens from the token endpoint, which the library skips by default (I2.2(3)).
  client.enableNonRepudiationChecks(config)
  if (env.allowInsecureProviders) client.allowInsecureRequests(config)
  config[client.customFetch] = (url, { method, headers, body, signal }) =>
    fetch(url, { method, headers, body: body as string | URLSearchParams | null | undefined, signal })
  useCachedKeys(config, document)
  return config
}

/** Returns an error code for logs. Returns `unnamed` for a value that is not a plain identifier and could contain personal data. */
export const safeErrorCode = (value: unknown): string => /^[A-Za-z0-9_.-]{1,64}$/.exec(String(value))?.[0] ?? 'unnamed'

async function errorIn(response: unknown): Promise<Record<string, unknown>> {
  if (!(response instanceof Response) || response.bodyUsed) return {}
  return fieldsOf(await response.json().catch(() => null))
}

async function readProviderError(error: unknown): Promise<{ code?: unknown; description?: unknown }> {
  if (error instanceof client.ResponseBodyError) return { code: error.error, description: error.error_description }
  if (error instanceof client.WWWAuthenticateChallengeError) {
    const body = await errorIn(error.response)
    const { error: code, error_description } = error.cause[0]?.parameters ?? {}
    return { code: body.error ?? code ?? 'invalid_client', description: body.error_description ?? error_description }
  }
  const { error_description: description } = await errorIn(error instanceof Error ? error.cause : null)
  return { description }
}

async function toRefusal(error: unknown, at: 'token' | 'userinfo', app: App): Promise<SignInRefused> {
  const outside = outsideErrorOf(error)
  if (outside) return new SignInRefused('provider_unreachable', null, { at, failure: outside.reason })
  const { code: errorCode, description: text } = await readProviderError(error)
  const description = descriptionForLog(text, { clientId: app.clientId, secret: await app.secret() })
  const common = { at, ...(description !== undefined && { description }) }
  if (at === 'token' && errorCode !== undefined) {
    return new SignInRefused('provider_refused', null, { ...common, error: safeErrorCode(errorCode) })
  }
  const { code, cause, message } = error instanceof Error ? (error as Error & { code?: unknown }) : { message: '' }
  const claim = (cause as { cause?: { claim?: unknown } } | undefined)?.cause?.claim
  const details = {
    ...common,
    check: safeErrorCode(code),
    ...(typeof claim === 'string' && { claim: safeErrorCode(claim) }),
  }
  if (at === 'userinfo') return new SignInRefused('userinfo', null, details)
  const why = `${message} ${cause instanceof Error ? cause.message : ''}`
  const aboutToken = /JWT|ID Token|JWS/.test(why) || typeof claim === 'string'
  return new SignInRefused(aboutToken ? 'id_token' : 'provider_answer', null, details)
}

/**
 * Exchanges a code for the claims of a verified ID token. The verification covers signature, algorithm, issuer, audience, authorized party,
 * times and nonce (I2.2(3)), and the issuer of the response (RFC 9207).
 * @throws SignInRefused
 */
export async function exchangeCode(answer: ProviderAnswer): Promise<ExchangeResult> {
  const { app, document, query, state, callbackUri, proofs } = answer
  const config = await createConfiguration(answer)
  const url = new URL(callbackUri)
  url.search = query.toString()
  const { nonce: expectedNonce, verifier: pkceCodeVerifier } = proofs
  const checks = { expectedState: state, expectedNonce, pkceCodeVerifier, idTokenExpected: true }
  const tokens = await client.authorizationCodeGrant(config, url, checks).catch(async (error: unknown) => {
    throw await toRefusal(error, 'token', app)
  })
  cacheKeys(config, document)
  const claims = tokens.claims()
  if (!claims) throw new SignInRefused('id_token')
  // The library checks `azp` only for tokens with several audiences, and never checks `iat`.
  if (claims.azp !== undefined && claims.azp !== app.clientId) {
    throw new SignInRefused('id_token', null, { at: 'token', claim: 'azp' })
  }
  if (claims.iat > Math.floor(clock.now() / 1_000_000) + toleranceSeconds) {
    throw new SignInRefused('id_token', null, { at: 'token', claim: 'iat' })
  }
  const userinfo = () =>
    client.fetchUserInfo(config, tokens.access_token, claims.sub).catch(async (error: unknown) => {
      throw await toRefusal(error, 'userinfo', app)
    })
  return { claims, userinfo: document.userinfo_endpoint === undefined ? null : userinfo }
}

const maxDescription = 500

const lowerEscapes = (text: string): string => text.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase())
const form = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)
const base64 = (text: string): string[] => [
  Buffer.from(text).toString('base64').replace(/=+$/, ''),
  Buffer.from(text).toString('base64url'),
]

/** Encodings in which a provider may echo the client secret of a token request, longest first so that redaction leaves no remainder. */
function spellings({ clientId, secret }: Credentials): string[] {
  const escaped = [encodeURIComponent(secret), form(secret)]
  const basic = base64(`${form(clientId)}:${form(secret)}`)
  const all = [secret, JSON.stringify(secret).slice(1, -1), ...escaped, ...escaped.map(lowerEscapes), ...basic]
  return [...all, ...base64(secret)].filter(Boolean).sort((a, b) => b.length - a.length)
}

type Credentials = { clientId: string; secret: string }

/** Sanitizes an `error_description` for the log: at most 500 printable characters without secrets or email addresses. */
export function descriptionForLog(description: unknown, credentials: Credentials): string | undefined {
  if (typeof description !== 'string' || description.trim() === '') return undefined
  const redacted = spellings(credentials).reduce((kept, secret) => kept.replaceAll(secret, '[secret]'), description)
  const printable = redactSecrets(redacted).replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]+/gu, ' ')
  return [...printable.trim()].slice(0, maxDescription).join('')
}
