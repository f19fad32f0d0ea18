import { isIPv4, isIPv6 } from 'node:net'

export type Ip = { family: 4 | 6; value: bigint }
export type Cidr = { family: 4 | 6; first: bigint; last: bigint; prefix: number }

const widthOf = (family: 4 | 6): number => (family === 4 ? 32 : 128)

/** Maximum length of an address, and of an address with a netmask. */
const maxAddress = 45
const maxCidr = maxAddress + 4

/** Parses a strict IP literal: four decimal numbers without leading zeros, or RFC 4291 text without a zone. */
export function parseIp(text: string): Ip | null {
  if (text.length > maxAddress) return null
  if (isIPv4(text)) return { family: 4, value: ipv4Value(text) }
  return isIPv6(text) && !text.includes('%') ? { family: 6, value: ipv6Value(text) } : null
}

const ipv4Value = (text: string): bigint => text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n)

function ipv6Value(text: string): bigint {
  // Uses the URL parser, which rewrites a trailing dotted IPv4 part as two hexadecimal groups.
  const [head = '', rest] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::')
  const leadingGroups = head === '' ? [] : head.split(':')
  const trailingGroups = rest === undefined || rest === '' ? [] : rest.split(':')
  const zeros = rest === undefined ? [] : Array<string>(8 - leadingGroups.length - trailingGroups.length).fill('0')
  return [...leadingGroups, ...zeros, ...trailingGroups].reduce(
    (value, group) => (value << 16n) | BigInt(`0x${group}`),
    0n,
  )
}

/** Formats an address canonically: IPv6 in lower case and compressed (RFC 5952), IPv4-mapped addresses with a dotted IPv4 part. */
export function formatIp({ family, value }: Ip): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.')
  if (value >> 32n === 0xffffn) return `::ffff:${formatIp({ family: 4, value: value & 0xffffffffn })}`
  const groups = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16))
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

export function canonicalIp(text: string): string | null {
  const ip = parseIp(text)
  return ip && formatIp(ip)
}

/** Parses an address with a netmask. Host bits may be set. */
export function parseCidr(text: string): Cidr | null {
  if (text.length > maxCidr) return null
  const [address = '', mask = '', ...more] = text.split('/')
  const ip = parseIp(address)
  if (!ip || more.length > 0 || !/^(0|[1-9]\d{0,2})$/.test(mask)) return null
  const prefix = Number(mask)
  return prefix > widthOf(ip.family) ? null : block(ip, prefix)
}

export function block({ family, value }: Ip, prefix: number): Cidr {
  const hostBits = BigInt(widthOf(family) - prefix)
  const first = (value >> hostBits) << hostBits
  return { family, first, last: first + (1n << hostBits) - 1n, prefix }
}

/** Parses a CIDR block, or an address as a block of one address. */
export function parseRange(text: string): Cidr | null {
  const ip = parseIp(text)
  return ip ? block(ip, widthOf(ip.family)) : parseCidr(text)
}

/** Parses text that was validated before. @throws Error for other text */
export function ipRangeOf(text: string): Cidr {
  const range = parseRange(text)
  if (!range) throw new Error(`${text} is not an address or network.`)
  return range
}

export const formatCidr = ({ family, first, prefix }: Cidr): string => `${formatIp({ family, value: first })}/${prefix}`

export const overlaps = (a: Cidr, b: Cidr): boolean => a.family === b.family && a.first <= b.last && b.first <= a.last

export const contains = (range: Cidr, ip: Ip): boolean =>
  range.family === ip.family && range.first <= ip.value && ip.value <= range.last

/** Replaces an IPv4-mapped IPv6 address with its IPv4 address (A17.3). */
export const unmapIp = (ip: Ip): Ip =>
  ip.family === 6 && ip.value >> 32n === 0xffffn ? { family: 4, value: ip.value & 0xffffffffn } : ip

export const unmapRange = (range: Cidr): Cidr =>
  range.family === 6 && range.prefix >= 96 && range.first >> 32n === 0xffffn
    ? block({ family: 4, value: range.first & 0xffffffffn }, range.prefix - 96)
    : range

export const portPattern = '([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])'
