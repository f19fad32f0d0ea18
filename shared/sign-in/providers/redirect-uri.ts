import { env } from '../../core/env.ts'

/** Loopback address (RFC 8252, 7.3) up to its path; group 1 is without the port. */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)/

/** True for a redirect URI of the deployment. Must match exactly, except the port of a loopback address (I2.2). */
export function isRedirectUri(uri: string): boolean {
  if (!URL.canParse(uri)) return false
  const withoutPort = uri.replace(loopback, '$1')
  return env.signInRedirectUris.some(
    (known) => known === uri || (loopback.test(known) && known.replace(loopback, '$1') === withoutPort),
  )
}

/** Appends parameters to the query of an address. */
export const withParameters = (uri: string, parameters: Record<string, string>): string =>
  `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(parameters)}`
