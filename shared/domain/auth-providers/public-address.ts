import { BlockList } from 'node:net'
import { formatIp, parseIp } from '../../values/ip.ts'

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

let blocks: { four: BlockList; six: BlockList; global: BlockList } | undefined

function listOf(ranges: string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/')
    list.addSubnet(address, Number(prefix), family)
  }
  return list
}

/** True for an address on the public Internet, false for private, loopback, link-local and reserved ones. */
export function isPublicAddress(address: string): boolean {
  blocks ??= {
    four: listOf(reserved, 'ipv4'),
    six: listOf(reserved6, 'ipv6'),
    global: listOf(['2000::/3'], 'ipv6'),
  }
  const ip = parseIp(address)
  if (!ip) return false
  if (ip.family === 4) return !blocks.four.check(address, 'ipv4')
  const mapped = ip.value >> 32n === 0xffffn
  if (mapped) return isPublicAddress(formatIp({ family: 4, value: ip.value & 0xffffffffn }))
  return blocks.global.check(address, 'ipv6') && !blocks.six.check(address, 'ipv6')
}
