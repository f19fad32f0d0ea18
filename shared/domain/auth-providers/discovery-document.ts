import { isObject } from '../../core/json/is-object.ts'
import type { GuardedFetch } from '../../outside/guarded-fetch.ts'
import { isOutsideUrl } from '../../outside/outside-url.ts'

/** What a provider says of itself (OpenID Connect Discovery 1.0, 3), as far as it is used: nothing else of it is kept. */
export type DiscoveryDocument = {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  jwks_uri: string
  userinfo_endpoint?: string
  token_endpoint_auth_methods_supported?: string[]
  id_token_signing_alg_values_supported?: string[]
  userinfo_signing_alg_values_supported?: string[]
  /** Whether it names itself in what it answers to browsers (RFC 9207). */
  authorization_response_iss_parameter_supported?: boolean
  /** Supported values of `prompt` (Initiating User Registration via OpenID Connect 1.0, 3.2). */
  prompt_values_supported?: string[]
  /** Address where a browser ends its session at the provider (OpenID Connect RP-Initiated Logout 1.0, 2.1). */
  end_session_endpoint?: string
}

export const wellKnown = '/.well-known/openid-configuration'

/** It is part of the key that an identity is found by, which holds 2,048 bytes. */
const maxIssuer = 1_000

/** Bounds of what is kept of strangers: an address, and a list of names. */
const maxAddress = 2_048
const maxNames = 100

const isEndpoint = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= maxAddress && isOutsideUrl(value)

const isName = (value: unknown): value is string => typeof value === 'string' && value.length <= 100

const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length <= maxNames && value.every(isName)

const isIssuer = (value: unknown): value is string =>
  // Nothing in an issuer comes behind its path.
  isEndpoint(value) && /^[^?#]+$/.test(value) && value.length <= maxIssuer

const isFlag = (value: unknown): value is boolean => typeof value === 'boolean'

type Member = keyof DiscoveryDocument
const required: Partial<Record<Member, (value: unknown) => boolean>> = {
  issuer: isIssuer,
  authorization_endpoint: isEndpoint,
  token_endpoint: isEndpoint,
  jwks_uri: isEndpoint,
}
const optional: Partial<Record<Member, (value: unknown) => boolean>> = {
  userinfo_endpoint: isEndpoint,
  token_endpoint_auth_methods_supported: isNames,
  id_token_signing_alg_values_supported: isNames,
  userinfo_signing_alg_values_supported: isNames,
  authorization_response_iss_parameter_supported: isFlag,
}

/** Optional members. A malformed one is dropped, and the document stays valid. */
const hints: Partial<Record<Member, (value: unknown) => boolean>> = {
  prompt_values_supported: isNames,
  end_session_endpoint: isEndpoint,
}

/** The document that a text is; null for one that lacks something, or says something in another form than it has. */
function documentIn(text: string): DiscoveryDocument | null {
  const said = parsed(text)
  if (!isObject(said)) return null
  const used: Record<string, unknown> = {}
  for (const [name, is] of Object.entries({ ...required, ...optional })) {
    const value = Object.hasOwn(said, name) ? said[name] : undefined
    if (value === undefined && name in optional) continue
    if (!is(value)) return null
    used[name] = value
  }
  for (const [name, is] of Object.entries(hints))
    if (Object.hasOwn(said, name) && is(said[name])) used[name] = said[name]
  return used as DiscoveryDocument
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Where the document of an issuer stands (OpenID Connect Discovery 1.0, 4). */
export const documentUriOf = (issuer: string): string => `${issuer.replace(/\/$/, '')}${wellKnown}`

/**
 * Address of the document that an administrator means. Consoles show the issuer first, so an issuer is accepted too.
 */
export const documentUriFor = (sent: string): string => (sent.endsWith(wellKnown) ? sent : documentUriOf(sent))

/**
 * Reads the discovery document at an address; null for what is none.
 * @throws OutsideError when there is no answer
 */
export async function readDiscoveryDocument(uri: string, fetch: GuardedFetch): Promise<DiscoveryDocument | null> {
  const answer = await fetch(uri, { headers: { accept: 'application/json' } })
  if (answer.status !== 200) return null
  return documentIn(await answer.text())
}
