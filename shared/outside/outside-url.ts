import { env } from '../core/env.ts'
import { isLoopbackAddress } from './public-address.ts'

/**
 * Whether a text is an address that an outside service can have: https, or on one machine, with `allowInsecureProviders`,
 * http to that machine itself (I1.2). What it resolves to is tested when it is called.
 */
export function isOutsideUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || url.hostname === '' || url.username || url.password) return false
  if (url.protocol === 'https:') return true
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return url.protocol === 'http:' && env.allowInsecureProviders && (host === 'localhost' || isLoopbackAddress(host))
}
