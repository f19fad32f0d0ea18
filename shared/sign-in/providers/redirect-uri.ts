import { env } from '../../core/env.ts'

/** An address of the caller's own machine (RFC 8252, 7.3), up to its path, with and without its port. */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)/

/** True for one of the deployment's addresses, exact but for the port of a loopback address (I2.2). */
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
