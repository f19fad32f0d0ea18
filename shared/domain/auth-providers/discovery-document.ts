import { isObject } from '../../core/is-object.ts'
import type { GuardedFetch } from '../../outside/guarded-fetch.ts'
import { isOutsideUrl } from '../../outside/outside-url.ts'

type Json = string | number | boolean | null | Json[] | { [member: string]: Json }

/** What a provider says of itself (OpenID Connect Discovery 1.0, 3), as far as it is looked at here. */
export type DiscoveryDocument = {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  jwks_uri: string
  userinfo_endpoint?: string
  token_endpoint_auth_methods_supported?: string[]
  [member: string]: Json | undefined
}

export const wellKnown = '/.well-known/openid-configuration'

/** It is part of the key that an identity is found by, which holds 2,048 bytes. */
const maxIssuer = 1_000

const isEndpoint = (value: unknown): value is string => typeof value === 'string' && isOutsideUrl(value)

const isDocument = (value: unknown): value is DiscoveryDocument =>
  isObject(value) &&
  [value.issuer, value.authorization_endpoint, value.token_endpoint, value.jwks_uri].every(isEndpoint) &&
  (value.userinfo_endpoint === undefined || isEndpoint(value.userinfo_endpoint)) &&
  // Nothing in an issuer comes behind its path.
  /^[^?#]+$/.test(String(value.issuer)) &&
  String(value.issuer).length <= maxIssuer

/** Where the document of an issuer stands (OpenID Connect Discovery 1.0, 4). */
export const documentUriOf = (issuer: string): string => `${issuer.replace(/\/$/, '')}${wellKnown}`

/**
 * Reads the discovery document at an address; null for what is none.
 * @throws OutsideError when there is no answer
 */
export async function readDiscoveryDocument(uri: string, fetch: GuardedFetch): Promise<DiscoveryDocument | null> {
  const answer = await fetch(uri, { headers: { accept: 'application/json' } })
  if (answer.status !== 200) return null
  const document: unknown = await answer.json().catch(() => null)
  return isDocument(document) ? document : null
}
