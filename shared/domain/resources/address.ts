import {
  type Cidr,
  formatCidr,
  formatIp,
  ipRangeOf,
  overlaps,
  parseCidr,
  parseIp,
  parseRange,
} from '../../values/ip.ts'
import { isLonger } from '../../values/text.ts'

export type AddressType = 'dns' | 'cidr' | 'ip'
type AddressCheck = { address: string } | { message: string }

/** Normalises the address of a resource, or returns a message about the first violated rule (A18.4). */
export function checkAddress(type: AddressType, input: string): AddressCheck {
  const address = input.trim()
  if (hasOneColon(address) || /\]:\d+$/.test(address)) return { message: 'cannot contain a port number' }
  if (type === 'dns') return checkDnsName(address)
  if (address.includes('[') !== address.includes(']')) return { message: 'has mismatched brackets' }
  return type === 'cidr' ? checkCidr(address) : checkIp(address)
}

const hasOneColon = (text: string): boolean => text.includes(':') && text.indexOf(':') === text.lastIndexOf(':')

const commonTopLevel = new Set(['com', 'org', 'net', 'edu', 'gov', 'mil', 'biz', 'info', 'name', 'mobi', 'pro'])
const labelPattern = /^(?!-)[\p{L}\p{M}\p{Nd}*?-]{1,63}(?<!-)$/u
const onlyWildcards = /^[*?]+$/

const validLabel = (label: string): boolean => labelPattern.test(label) && (label === '**' || !label.includes('**'))

function checkDnsName(address: string): AddressCheck {
  if (isLonger(address, 253)) return { message: 'should be at most 253 character(s)' }
  if (parseRange(address)) return { message: 'is an IP address, use a resource of type ip or cidr' }
  const labels = address.split('.')
  if (!labels.every(validLabel)) return { message: 'is not a valid DNS name, for example wiki.example.com' }
  const last = address.slice(address.lastIndexOf('.') + 1).toLowerCase()
  if (/[*?]/.test(last)) return { message: 'cannot have a wildcard in the top-level domain' }
  if (last === 'localhost') return { message: 'cannot be in the localhost domain' }
  const others = labels.slice(0, -1)
  const common = commonTopLevel.has(last) || [...last].length === 2
  if (common && others.length > 0 && others.every((label) => onlyWildcards.test(label))) {
    return { message: 'needs a label that is not a wildcard' }
  }
  return { address }
}

/** Ranges that no address may overlap, in the order of the table in A18.4. */
const forbiddenRanges: { ranges: Cidr[]; cidr: string; ip: string }[] = [
  {
    ranges: ['0.0.0.0', '::'].map(ipRangeOf),
    cidr: 'cannot contain all addresses, use the Internet Resource',
    ip: 'cannot be the unspecified address',
  },
  {
    ranges: ['127.0.0.0/8', '::1/128'].map(ipRangeOf),
    cidr: 'cannot contain loopback addresses',
    ip: 'cannot contain loopback addresses',
  },
  ...['100.64.0.0/10', 'fd00:2021:1111::/48'].map((text) => ({
    ranges: [ipRangeOf(text)],
    cidr: `cannot be in ${text}`,
    ip: `cannot be in ${text}`,
  })),
]

const refusal = (block: Cidr, type: 'cidr' | 'ip'): string | undefined =>
  forbiddenRanges.find(({ ranges }) => ranges.some((other) => overlaps(block, other)))?.[type]

const mappedRange = ipRangeOf('::ffff:0:0/96')
/** Returns whether a block is within the IPv4-mapped range. A larger block that contains the whole range is allowed. */
const isMapped = (block: Cidr): boolean => overlaps(block, mappedRange) && block.prefix >= 96

function checkCidr(address: string): AddressCheck {
  const block = parseCidr(address)
  if (!block || isMapped(block)) return { message: 'is not a valid CIDR range, for example 192.168.1.0/24' }
  const message = refusal(block, 'cidr')
  return message ? { message } : { address: formatCidr(block) }
}

function checkIp(address: string): AddressCheck {
  const ip = parseIp(address)
  const block = ip && ipRangeOf(formatIp(ip))
  if (!ip || !block || isMapped(block)) return { message: 'is not a valid IP address, for example 192.0.2.10' }
  const message = refusal(block, 'ip')
  return message ? { message } : { address: formatIp(ip) }
}
