import { BlockList, isIP } from 'node:net'
import { env } from '../core/env.ts'

/** Addresses outside the public Internet (IANA special-purpose registries). IPv6 ranges are listed only within 2000::/3. */
const reservedRanges = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
]

/** Public IPv6 addresses, and IPv4-mapped addresses, which a `BlockList` compares with IPv4 ranges. */
const globalIpv6Ranges = ['2000::/3', '::ffff:0:0/96']

function listOf(ranges: string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/')
    list.addSubnet(address, Number(prefix), isIP(address) === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

let lists: Record<'reserved' | 'global6' | 'loopback', BlockList> | undefined

function isIn(name: 'reserved' | 'global6' | 'loopback', address: string, family: 'ipv4' | 'ipv6'): boolean {
  lists ??= {
    reserved: listOf(reservedRanges),
    global6: listOf(globalIpv6Ranges),
    loopback: listOf(['127.0.0.0/8', '::1/128']),
  }
  return lists[name].check(address, family)
}

function familyOf(address: string): 'ipv4' | 'ipv6' | null {
  const family = address.includes('%') ? 0 : isIP(address)
  if (family === 0) return null
  return family === 4 ? 'ipv4' : 'ipv6'
}

/** False for private, loopback, link-local and reserved addresses. */
export function isPublicAddress(address: string): boolean {
  const family = familyOf(address)
  if (family === null || (family === 'ipv6' && !isIn('global6', address, family))) return false
  return !isIn('reserved', address, family)
}

export function isLoopbackAddress(address: string): boolean {
  const family = familyOf(address)
  return family !== null && isIn('loopback', address, family)
}

/** True for an HTTPS URL and, with `allowInsecureProviders`, for an HTTP URL of a loopback host (I1.2). */
export function isOutsideUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || url.hostname === '' || url.username || url.password) return false
  if (url.protocol === 'https:') return true
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return url.protocol === 'http:' && env.allowInsecureProviders && (host === 'localhost' || isLoopbackAddress(host))
}
