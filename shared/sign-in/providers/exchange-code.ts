import * as client from 'openid-client'
import { env } from '../../core/env.ts'
import { fieldsOf } from '../../core/json/is-object.ts'
import type { DiscoveryDocument } from '../../domain/auth-providers/discovery-document.ts'
import type { GuardedFetch } from '../../outside/guarded-fetch.ts'
import { KeptAnswers } from '../../outside/kept-answers.ts'
import { outsideErrorOf } from '../../outside/outside-error.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'
import { descriptionForLog } from './error-description.ts'
import type { Claims } from './identity-claims.ts'
import type { Proofs } from './pending-sign-in.ts'
import type { App } from './provider-app.ts'

/**
 * The keys of providers as they were last read, by issuer and where they stand: kept in the process for all who sign in. They are
 * read anew after ten minutes, and at once for a token of a key that is not among them.
 */
const keys = new KeptAnswers<client.ExportedJWKSCache>({ ms: 10 * 60_000, most: 1_000 })
/** More than any provider has: what is longer is read anew each time, so that nobody fills the process. */
const maxKeptText = 100_000
/** The library asks anew for a key that it misses only where those it has are a minute old. */
const staleSeconds = 61
/** How far a provider's clock may be ahead (I2.2(3)); the library's own tolerance for `exp` and `nbf`. */
const toleranceSeconds = 30

/** What a provider's answer to the browser is exchanged with. */
type Answered = {
  app: App
  document: DiscoveryDocument
  /** The query that the browser came back with. */
  query: URLSearchParams
  state: string
  callbackUri: string
  proofs: Proofs
  fetch: GuardedFetch
}

/** The verified claims of the ID token, and those of userinfo for whoever misses one. */
export type Exchanged = { claims: Claims; userinfo: (() => Promise<Claims>) | null }

const authenticationOf = ({ token_endpoint_auth_methods_supported: methods }: DiscoveryDocument, secret: string) =>
  // Secrets with special characters are spelled in two ways in the header, and in one in the body.
  methods?.includes('client_secret_post') ? client.ClientSecretPost(secret) : client.ClientSecretBasic(secret)

const keysOf = ({ issuer, jwks_uri }: DiscoveryDocument): string => `${issuer} ${jwks_uri}`

function withKeys(config: client.Configuration, document: DiscoveryDocument): void {
  const kept = keys.get(keysOf(document))
  if (kept) client.setJwksCache(config, { jwks: kept.jwks, uat: Math.floor(Date.now() / 1_000) - staleSeconds })
}

function keepKeys(config: client.Configuration, document: DiscoveryDocument): void {
  const read = client.getJwksCache(config)
  // What came from here is a minute older than what was just read.
  if (!read || read.uat < Math.floor(Date.now() / 1_000) - staleSeconds / 2) return
  if (JSON.stringify(read.jwks).length <= maxKeptText) keys.keep(keysOf(document), read)
}

async function configurationOf({ app, document, fetch }: Answered): Promise<client.Configuration> {
  const authentication = authenticationOf(document, await app.secret())
  const config = new client.Configuration(document, app.clientId, undefined, authentication)
  // Without it the signature of an ID token that comes straight from the provider is not looked at (I2.2(3)).
  client.enableNonRepudiationChecks(config)
  if (env.allowInsecureProviders) client.allowInsecureRequests(config)
  config[client.customFetch] = (url, { method, headers, body, signal }) =>
    fetch(url, { method, headers, body: body as string | URLSearchParams | null | undefined, signal })
  withKeys(config, document)
  return config
}

/** A code of an error: letters, digits and what parts them, so that nobody's name can stand there. */
const codeOf = (value: unknown): string => /^[A-Za-z0-9_.-]{1,64}$/.exec(String(value))?.[0] ?? 'unnamed'

/** The members of an error in a body that nobody has read (RFC 6749, 5.2). */
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

/** Why an exchange failed, as the operator is told it. */
async function refusalOf(error: unknown, at: 'token' | 'userinfo', app: App): Promise<SignInRefused> {
  const outside = outsideErrorOf(error)
  if (outside) return new SignInRefused('provider_unreachable', null, { at, failure: outside.reason })
  const { code: said, description: text } = await reported(error)
  const description = descriptionForLog(text, { clientId: app.clientId, secret: await app.secret() })
  const told = { at, ...(description !== undefined && { description }) }
  if (at === 'token' && said !== undefined) {
    return new SignInRefused('provider_refused', null, { ...told, error: codeOf(said) })
  }
  const { code, cause, message } = error instanceof Error ? (error as Error & { code?: unknown }) : { message: '' }
  const claim = (cause as { cause?: { claim?: unknown } } | undefined)?.cause?.claim
  const details = { ...told, check: codeOf(code), ...(typeof claim === 'string' && { claim: codeOf(claim) }) }
  if (at === 'userinfo') return new SignInRefused('userinfo', null, details)
  const why = `${message} ${cause instanceof Error ? cause.message : ''}`
  const aboutToken = /JWT|ID Token|JWS/.test(why) || typeof claim === 'string'
  return new SignInRefused(aboutToken ? 'id_token' : 'provider_answer', null, details)
}

/**
 * Exchanges the code of a provider for the claims of its ID token, verified as I2.2(3) says: signature by the provider's
 * keys, algorithm, issuer, audience, authorized party, times, nonce; and the issuer of the answer itself (RFC 9207).
 * @throws SignInRefused
 */
export async function exchangeCode(answered: Answered): Promise<Exchanged> {
  const { app, document, query, state, callbackUri, proofs } = answered
  const config = await configurationOf(answered)
  const url = new URL(callbackUri)
  url.search = query.toString()
  const checks = {
    expectedState: state,
    expectedNonce: proofs.nonce,
    pkceCodeVerifier: proofs.verifier,
    idTokenExpected: true,
  }
  const exchange = async () => {
    const answer = await client.authorizationCodeGrant(config, url, checks)
    keepKeys(config, document)
    return answer
  }
  const tokens = await exchange().catch(async (error: unknown) => {
    throw await refusalOf(error, 'token', app)
  })
  const claims = tokens.claims()
  if (!claims) throw new SignInRefused('id_token')
  // The library looks at it only where the token is for several.
  if (claims.azp !== undefined && claims.azp !== app.clientId) {
    throw new SignInRefused('id_token', null, { at: 'token', claim: 'azp' })
  }
  // The library does not check the time of issue.
  if (claims.iat > Math.floor(Date.now() / 1_000) + toleranceSeconds) {
    throw new SignInRefused('id_token', null, { at: 'token', claim: 'iat' })
  }
  const userinfo = () =>
    client.fetchUserInfo(config, tokens.access_token, claims.sub).catch(async (error: unknown) => {
      throw await refusalOf(error, 'userinfo', app)
    })
  return { claims, userinfo: document.userinfo_endpoint === undefined ? null : userinfo }
}
