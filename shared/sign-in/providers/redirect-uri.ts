import { env } from '../../core/env.ts'

/** Matches a loopback address (RFC 8252, 7.3) up to its path. Group 1 excludes the port. */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)/

/**
 * True for the redirect URI of the console at the service's own `address` (K3.1), or one that the deployment allows (I2.2). The match is
 * exact, except for the port of a loopback address that the deployment allows.
 */
export function isRedirectUri(uri: string, address: string): boolean {
  if (env.console && uri === `${address}/console/signed_in`) return true
  const withoutPort = uri.replace(loopback, '$1')
  return env.signInRedirectUris.some(
    (allowed) => allowed === uri || (loopback.test(allowed) && allowed.replace(loopback, '$1') === withoutPort),
  )
}

export const withParameters = (uri: string, parameters: Record<string, string>): string =>
  `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(parameters)}`
