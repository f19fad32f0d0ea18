import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { env } from '../core/env.ts'
import { OutsideError } from './outside-error.ts'
import { isLoopbackAddress, isPublicAddress } from './public-address.ts'

/** Address that may be called. `isAllowed` checks each IP address of the host. */
export type Target = { url: URL; host: string; isAllowed(address: string): boolean }

const refusal = (host: string, rule: string) => new OutsideError('refused', `${host} may not be called: ${rule}.`)

/**
 * Allows public HTTPS addresses, and loopback addresses with `allowInsecureProviders` (I1.2).
 * @throws OutsideError for other addresses
 */
export function allowedTarget(address: string | URL): Target {
  if (!URL.canParse(String(address)))
    throw new OutsideError('refused', 'The address of an outside service is not a URL.')
  const url = new URL(address)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const allowsInsecure = env.allowInsecureProviders
  if (url.username || url.password) throw refusal(host, 'its address must not contain credentials')
  if (url.protocol !== 'https:' && !(allowsInsecure && url.protocol === 'http:'))
    throw refusal(host, 'only HTTPS is allowed')
  const isAllowed = (resolvedAddress: string): boolean =>
    (allowsInsecure && isLoopbackAddress(resolvedAddress)) ||
    (url.protocol === 'https:' && isPublicAddress(resolvedAddress))
  // Checks a literal IP address here, because it is never resolved.
  if (isIP(host) !== 0 && !isAllowed(host)) throw refusal(host, 'its address is not public')
  return { url, host, isAllowed }
}

/** DNS resolver, which tests replace. */
export const names = { lookup }

/** Resolves a host only once and connects only to the checked addresses, so that a name cannot change its address in between. */
export const guardedLookup =
  ({ host, isAllowed }: Target): LookupFunction =>
  (hostname, options, callback) => {
    names.lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '')
      if (!addresses.every(({ address }) => isAllowed(address))) {
        return callback(new OutsideError('refused', `${host} may not be called: its address is not public.`), '')
      }
      if (options.all) return callback(null, addresses)
      const [first] = addresses
      return first ? callback(null, first.address, first.family) : callback(new Error('no address'), '')
    })
  }
