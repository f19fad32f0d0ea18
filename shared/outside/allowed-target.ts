import { isIP } from 'node:net'
import { env } from '../core/env.ts'
import { OutsideError } from './outside-error.ts'
import { isLoopbackAddress, isPublicAddress } from './public-address.ts'

/** An address that may be called, and the test that each address its host resolves to has to pass. */
export type Target = { url: URL; host: string; isAllowed(address: string): boolean }

const refused = (host: string, rule: string) => new OutsideError('refused', `${host} may not be called: ${rule}.`)

/**
 * Where a call goes (I1.2): to the public Internet by HTTPS; on one machine, with `allowInsecureProviders`, also to that
 * machine itself, by HTTP as well.
 * @throws OutsideError `refused`
 */
export function allowedTarget(address: string | URL): Target {
  if (!URL.canParse(String(address))) throw new OutsideError('refused', 'The address of an outside service is no URL.')
  const url = new URL(address)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const insecure = env.allowInsecureProviders
  if (url.username || url.password) throw refused(host, 'credentials do not stand in an address')
  if (url.protocol !== 'https:' && !(insecure && url.protocol === 'http:')) throw refused(host, 'only HTTPS is used')
  const isAllowed = (resolved: string): boolean =>
    (insecure && isLoopbackAddress(resolved)) || (url.protocol === 'https:' && isPublicAddress(resolved))
  // A literal address is not looked up, so nothing else would test it.
  if (isIP(host) !== 0 && !isAllowed(host)) throw refused(host, 'its address is not public')
  return { url, host, isAllowed }
}
