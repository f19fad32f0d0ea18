import { BlockList, isIP } from 'node:net'

/** Addresses that are not of the public Internet (IANA special-purpose registries). */
const reserved = [
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
]

/** Within 2000::/3, the only part of IPv6 that is public. */
const reserved6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

type Lists = Record<'reserved' | 'reserved6' | 'global' | 'mapped' | 'loopback' | 'loopback6', BlockList>
let lists: Lists | undefined

function listOf(ranges: string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/')
    list.addSubnet(address, Number(prefix), family)
  }
  return list
}

function theLists(): Lists {
  lists ??= {
    reserved: listOf(reserved, 'ipv4'),
    reserved6: listOf(reserved6, 'ipv6'),
    global: listOf(['2000::/3'], 'ipv6'),
    mapped: listOf(['::ffff:0:0/96'], 'ipv6'),
    loopback: listOf(['127.0.0.0/8'], 'ipv4'),
    loopback6: listOf(['::1/128'], 'ipv6'),
  }
  return lists
}

/** The family that an address is tested in: one that IPv6 maps from IPv4 is one of IPv4 to a list. */
function familyOf(address: string): 'ipv4' | 'mapped' | 'ipv6' | null {
  const family = address.includes('%') ? 0 : isIP(address)
  if (family === 0) return null
  if (family === 4) return 'ipv4'
  return theLists().mapped.check(address, 'ipv6') ? 'mapped' : 'ipv6'
}

/** True for an address on the public Internet, false for private, loopback, link-local and reserved ones. */
export function isPublicAddress(address: string): boolean {
  const family = familyOf(address)
  if (family === null) return false
  const { reserved, reserved6, global } = theLists()
  if (family === 'ipv6') return global.check(address, 'ipv6') && !reserved6.check(address, 'ipv6')
  return !reserved.check(address, family === 'ipv4' ? 'ipv4' : 'ipv6')
}

/** True for an address of the machine itself. */
export function isLoopbackAddress(address: string): boolean {
  const family = familyOf(address)
  if (family === null) return false
  const { loopback, loopback6 } = theLists()
  if (family === 'ipv6') return loopback6.check(address, 'ipv6')
  return loopback.check(address, family === 'ipv4' ? 'ipv4' : 'ipv6')
}
