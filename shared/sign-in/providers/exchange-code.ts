import * as client from 'openid-client'
import { clock } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { fieldsOf } from '../../core/json/is-object.ts'
import { withoutSecrets } from '../../core/logging/describe-error.ts'
import type { DiscoveryDocument } from '../../domain/auth-providers/discovery-document.ts'
import type { GuardedFetch } from '../../outside/guarded-fetch.ts'
import { KeptAnswers } from '../../outside/kept-answers.ts'
import { outsideErrorOf } from '../../outside/outside-error.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'
import type { Claims } from './identity-claims.ts'
import type { Proofs } from './pending-sign-in.ts'
import type { App } from './provider-app.ts'

/** Key sets by issuer and address, read again after ten minutes, and at once for a token of an unknown key. */
const keys = new KeptAnswers<client.ExportedJWKSCache>({ ms: 10 * 60_000, most: 1_000 })
/** Longer key sets are not cached, so that nobody fills the process. */
const maxKeptText = 100_000
/** The library reads an unknown key only where its key set is a minute old. */
const staleSeconds = 61
/** Tolerance for a provider's clock (I2.2(3)), as the library's own for `exp` and `nbf`. */
const toleranceSeconds = 30

type Answered = {
  app: App
  document: DiscoveryDocument
  query: URLSearchParams
  state: string
  callbackUri: string
  proofs: Proofs
  fetch: GuardedFetch
}

/** Verified claims of the ID token, and a request for those of userinfo. */
type Exchanged = { claims: Claims; userinfo: (() => Promise<Claims>) | null }

const authenticationOf = ({ token_endpoint_auth_methods_supported: methods }: DiscoveryDocument, secret: string) =>
  // Implementations differ in the escapes of special characters in the header, and not in the body.
  methods?.includes('client_secret_post') ? client.ClientSecretPost(secret) : client.ClientSecretBasic(secret)

const keysOf = ({ issuer, jwks_uri }: DiscoveryDocument): string => `${issuer} ${jwks_uri}`

function withKeys(config: client.Configuration, document: DiscoveryDocument): void {
  const kept = keys.get(keysOf(document))
  if (kept) client.setJwksCache(config, { jwks: kept.jwks, uat: Math.floor(clock.now() / 1_000_000) - staleSeconds })
}

function keepKeys(config: client.Configuration, document: DiscoveryDocument): void {
  const read = client.getJwksCache(config)
  // Cached keys were handed over as a minute older than just read ones.
  if (!read || read.uat < Math.floor(clock.now() / 1_000_000) - staleSeconds / 2) return
  if (JSON.stringify(read.jwks).length <= maxKeptText) keys.keep(keysOf(document), read)
}

async function configurationOf({ app, document, fetch }: Answered): Promise<client.Configuration> {
  const authentication = authenticationOf(document, await app.secret())
  const config = new client.Configuration(document, app.clientId, undefined, authentication)
  // Without it the library does not verify the signature of an ID token of the token endpoint (I2.2(3)).
  client.enableNonRepudiationChecks(config)
  if (env.allowInsecureProviders) client.allowInsecureRequests(config)
  config[client.customFetch] = (url, { method, headers, body, signal }) =>
    fetch(url, { method, headers, body: body as string | URLSearchParams | null | undefined, signal })
  withKeys(config, document)
  return config
}

/** Restricts the code of an error to characters that contain no names of people. */
export const oauthErrorOf = (value: unknown): string => /^[A-Za-z0-9_.-]{1,64}$/.exec(String(value))?.[0] ?? 'unnamed'

/** Members of an error in an unread body (RFC 6749, 5.2). */
async function errorIn(response: unknown): Promise<Record<string, unknown>> {
  if (!(response instanceof Response) || response.bodyUsed) return {}
  return fieldsOf(await response.json().catch(() => null))
}

/** Error that the provider itself reports: in the body of its response, or in a challenge to the client. */
async function reported(error: unknown): Promise<{ code?: unknown; description?: unknown }> {
  if (error instanceof client.ResponseBodyError) return { code: error.error, description: error.error_description }
  if (error instanceof client.WWWAuthenticateChallengeError) {
    const body = await errorIn(error.response)
    const { error: code, error_description } = error.cause[0]?.parameters ?? {}
    return { code: body.error ?? code ?? 'invalid_client', description: body.error_description ?? error_description }
  }
  const { error_description: description } = await errorIn(error instanceof Error ? error.cause : null)
  return { description }
}

async function refusalOf(error: unknown, at: 'token' | 'userinfo', app: App): Promise<SignInRefused> {
  const outside = outsideErrorOf(error)
  if (outside) return new SignInRefused('provider_unreachable', null, { at, failure: outside.reason })
  const { code: said, description: text } = await reported(error)
  const description = descriptionForLog(text, { clientId: app.clientId, secret: await app.secret() })
  const told = { at, ...(description !== undefined && { description }) }
  if (at === 'token' && said !== undefined) {
    return new SignInRefused('provider_refused', null, { ...told, error: oauthErrorOf(said) })
  }
  const { code, cause, message } = error instanceof Error ? (error as Error & { code?: unknown }) : { message: '' }
  const claim = (cause as { cause?: { claim?: unknown } } | undefined)?.cause?.claim
  const details = {
    ...told,
    check: oauthErrorOf(code),
    ...(typeof claim === 'string' && { claim: oauthErrorOf(claim) }),
  }
  if (at === 'userinfo') return new SignInRefused('userinfo', null, details)
  const why = `${message} ${cause instanceof Error ? cause.message : ''}`
  const aboutToken = /JWT|ID Token|JWS/.test(why) || typeof claim === 'string'
  return new SignInRefused(aboutToken ? 'id_token' : 'provider_answer', null, details)
}

/**
 * Exchanges a code for the claims of an ID token, verified by I2.2(3): signature, algorithm, issuer, audience,
 * authorized party, times, nonce; and the issuer of the answer itself (RFC 9207). @throws SignInRefused
 */
export async function exchangeCode(answered: Answered): Promise<Exchanged> {
  const { app, document, query, state, callbackUri, proofs } = answered
  const config = await configurationOf(answered)
  const url = new URL(callbackUri)
  url.search = query.toString()
  const { nonce: expectedNonce, verifier: pkceCodeVerifier } = proofs
  const checks = { expectedState: state, expectedNonce, pkceCodeVerifier, idTokenExpected: true }
  const tokens = await client.authorizationCodeGrant(config, url, checks).catch(async (error: unknown) => {
    throw await refusalOf(error, 'token', app)
  })
  keepKeys(config, document)
  const claims = tokens.claims()
  if (!claims) throw new SignInRefused('id_token')
  // The library checks `azp` only of a token with several audiences, and never the time of issue.
  if (claims.azp !== undefined && claims.azp !== app.clientId) {
    throw new SignInRefused('id_token', null, { at: 'token', claim: 'azp' })
  }
  if (claims.iat > Math.floor(clock.now() / 1_000_000) + toleranceSeconds) {
    throw new SignInRefused('id_token', null, { at: 'token', claim: 'iat' })
  }
  const userinfo = () =>
    client.fetchUserInfo(config, tokens.access_token, claims.sub).catch(async (error: unknown) => {
      throw await refusalOf(error, 'userinfo', app)
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

/** Spellings of a client secret in what is sent to a token endpoint, longest first. */
function spellings({ clientId, secret }: Credentials): string[] {
  const escaped = [encodeURIComponent(secret), form(secret)]
  const basic = base64(`${form(clientId)}:${form(secret)}`)
  const all = [secret, JSON.stringify(secret).slice(1, -1), ...escaped, ...escaped.map(lowerEscapes), ...basic]
  return [...all, ...base64(secret)].filter(Boolean).sort((a, b) => b.length - a.length)
}

type Credentials = { clientId: string; secret: string }

/** A provider's `error_description` for the operator's log, printable, bounded, without secrets and email addresses. */
export function descriptionForLog(description: unknown, credentials: Credentials): string | undefined {
  if (typeof description !== 'string' || description.trim() === '') return undefined
  const redacted = spellings(credentials).reduce((kept, secret) => kept.replaceAll(secret, '[secret]'), description)
  const printable = withoutSecrets(redacted).replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]+/gu, ' ')
  return [...printable.trim()].slice(0, maxDescription).join('')
}
