import { canonicalIp, parseRange } from '../values/ip.ts'
import { excerpt, isLonger } from '../values/text.ts'
import { type Messages, tooLong, trimmed } from './messages.ts'

const isAddress = (text: string): boolean => canonicalIp(text) !== null
const isHostName = (text: string): boolean => /^[A-Za-z0-9._-]{1,253}$/.test(text)
const isPort = (text: string): boolean => /^\d+$/.test(text) && BigInt(text) <= 65_535n

/** Splits a string into host and port (`/v0` contract, 8.5). Without a colon, the port is undefined. */
function splitPort(text: string): { host: string; port: string | undefined; isHost: boolean } {
  const [, inner = '', portBehind] = /^\[([^\]]*)\](?::(.*))?$/s.exec(text) ?? []
  if (inner.includes(':') && isAddress(inner)) return { host: inner, port: portBehind, isHost: true }
  const colon = text.lastIndexOf(':')
  const host = colon < 0 ? text : text.slice(0, colon)
  return { host, port: colon < 0 ? undefined : text.slice(colon + 1), isHost: isHostName(host) }
}

/** Checks an endpoint (`/v0` contract, 8.5). Reports only the first failure, and checks the host before the port. */
export function endpointMessages(text: string): Messages {
  const lengthFault = tooLong(text, 255)
  if (lengthFault.length > 0 || isAddress(text)) return lengthFault
  const { host, port, isHost } = splitPort(text)
  if (!isHost) return [`${excerpt(host)} is not a valid FQDN`]
  return port === undefined || isPort(port) ? [] : ['port is not a number between 0 and 65535']
}

function itemsOf(list: string): { items: string[]; texts: string[] } {
  const items = list.split(',').map(trimmed)
  return { items, texts: items.filter((item) => item !== '') }
}

const maxList = 4096
const emptyItems = (items: string[], texts: string[]): Messages => (items.length > texts.length ? ['is invalid'] : [])

/** Reports each repeated value once, ordered by its second occurrence. */
function duplicateMessages(items: string[]): Messages {
  const earlier = new Set<string>()
  const duplicates = new Set<string>()
  for (const item of items) {
    if (earlier.has(item)) duplicates.add(item)
    earlier.add(item)
  }
  return duplicates.size > 0 ? [`is invalid: duplicates are not allowed: ${excerpt([...duplicates].join(', '))}`] : []
}

/** Checks a comma-separated list of addresses and networks (`/v0` contract, 8.4). */
export function networkListMessages(list: string, { repeats }: { repeats: boolean }): Messages {
  const { items, texts } = itemsOf(list)
  const bad = texts.find((item) => parseRange(item) === null)
  return [
    ...tooLong(list, maxList),
    ...emptyItems(items, texts),
    ...(bad === undefined ? [] : [`is invalid: ${excerpt(bad)} is not a valid IPv4 / IPv6 address or CIDR range`]),
    ...(repeats ? [] : duplicateMessages(texts)),
  ]
}

function hasPort(item: string): boolean {
  const { port, isHost } = splitPort(item)
  return isHost && port !== undefined && /^\d+$/.test(port)
}

/** Checks a comma-separated list of server addresses and host names (`/v0` contract, 8.4). */
export function serverListMessages(list: string): Messages {
  const { items, texts } = itemsOf(list)
  const others = texts.filter((item) => !isAddress(item) && !hasPort(item))
  const bad = others.find((item) => !isHostName(item))
  return [
    ...tooLong(list, maxList),
    ...emptyItems(items, texts),
    ...(texts.some((item) => !isAddress(item) && hasPort(item)) ? ['setting port is not allowed'] : []),
    ...(bad === undefined ? [] : [`${excerpt(bad)} is not a valid FQDN`]),
    ...duplicateMessages(texts),
  ]
}

/** Pattern of a 44-character base64 key, used in the API reference. */
export const keyPattern = '([A-Za-z0-9+/]{4}){10}([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)'

/** Checks a key in padded standard base64, but not its decoded length (`/v0` contract, 8.6). */
export function keyMessages(text: string): Messages {
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text) && text !== ''
  return [
    ...(isLonger(text, 43) && !isLonger(text, 44) ? [] : ['should be 44 character(s)']),
    ...(isBase64 ? [] : ['must be a base64-encoded string']),
  ]
}
