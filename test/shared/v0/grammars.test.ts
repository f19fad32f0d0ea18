import { isIPv4, isIPv6 } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endpointMessages, networkListMessages, serverListMessages } from '#shared/v0/grammars.ts'
import { canonicalDestination } from '#shared/v0/rule-store.ts'

const ipv4 = fc.ipV4()
const ipv6 = fc.ipV6()
const address = fc.oneof(ipv4, ipv6)
const network = fc.oneof(
  fc.tuple(ipv4, fc.integer({ min: 0, max: 32 })).map((parts) => parts.join('/')),
  fc.tuple(ipv6, fc.integer({ min: 0, max: 128 })).map((parts) => parts.join('/')),
)
/** Host name without a colon and with at least one letter, and therefore not an address. */
const hostName = fc
  .string({ unit: fc.constantFrom(...'abzAZ019._-'), minLength: 1, maxLength: 60 })
  .map((text) => `${text}h`)
const spaces = fc.constantFrom('', ' ', '  ', '\t')
const spaced = (item: fc.Arbitrary<string>) => fc.tuple(spaces, item, spaces).map((parts) => parts.join(''))
const short = (list: string) => list.length <= 4096
const listOf = (item: fc.Arbitrary<string>) =>
  fc
    .uniqueArray(spaced(item), { minLength: 1, maxLength: 20, selector: (text) => text.trim() })
    .map((items) => items.join(','))
    .filter(short)

/** Checks addresses and networks with Node's `isIPv4` and `isIPv6`. */
function isNetwork(text: string): boolean {
  const [host = '', mask, ...more] = text.split('/')
  const width = isIPv4(host) ? 32 : isIPv6(host) && !host.includes('%') ? 128 : 0
  if (width === 0 || more.length > 0) return false
  return mask === undefined || (/^(0|[1-9]\d*)$/.test(mask) && Number(mask) <= width)
}

const noise = fc.string({ unit: fc.constantFrom(...'0123456789abf:./%[] '), minLength: 1, maxLength: 24 })

describe('a network list', () => {
  it('contains addresses and networks, with any surrounding white space', () => {
    fc.assert(
      fc.property(listOf(fc.oneof(address, network)), (list) => {
        expect(networkListMessages(list, { repeats: false })).toEqual([])
      }),
    )
  })

  it('names the first invalid item', () => {
    fc.assert(
      fc.property(network, noise, (good, item) => {
        fc.pre(item.trim() !== '' && item.trim() !== good)
        const expected = isNetwork(item.trim())
          ? []
          : [`is invalid: ${item.trim()} is not a valid IPv4 / IPv6 address or CIDR range`]
        expect(networkListMessages(`${good},${item}`, { repeats: false })).toEqual(expected)
        expect(networkListMessages(`${item}, x y`, { repeats: true }).length).toBe(1)
      }),
    )
  })

  it('allows duplicates only in some fields, and names each duplicate once, at its second occurrence', () => {
    fc.assert(
      fc.property(fc.uniqueArray(network, { minLength: 2, maxLength: 6 }), (items) => {
        const list = [...items, ...items.toReversed(), ...items].join(', ')
        fc.pre(short(list))
        expect(networkListMessages(list, { repeats: true })).toEqual([])
        const repeated = items.toReversed().join(', ')
        expect(networkListMessages(list, { repeats: false })).toEqual([
          `is invalid: duplicates are not allowed: ${repeated}`,
        ])
      }),
    )
  })

  it('returns all its messages in order', () => {
    const list = `x,,y,x,${'z'.repeat(4096)}`
    expect(networkListMessages(list, { repeats: false })).toEqual([
      'should be at most 4096 character(s)',
      'is invalid',
      'is invalid: x is not a valid IPv4 / IPv6 address or CIDR range',
      'is invalid: duplicates are not allowed: x',
    ])
  })
})

describe('a server list', () => {
  it('contains addresses and host names', () => {
    fc.assert(
      fc.property(listOf(fc.oneof(address, hostName)), (list) => {
        expect(serverListMessages(list)).toEqual([])
      }),
    )
  })

  it('does not allow ports', () => {
    const port = fc.nat(99_999)
    const host = fc.oneof(
      ipv4,
      hostName,
      ipv6.map((text) => `[${text}]`),
    )
    fc.assert(
      fc.property(address, host, port, (other, host, port) => {
        expect(serverListMessages(`${other}, ${host}:${port}`)).toEqual(['setting port is not allowed'])
      }),
    )
  })

  it('returns all its messages in order', () => {
    const list = `a b,,ns.example.net:53,c d,a b,${'z'.repeat(4096)}`
    expect(serverListMessages(list)).toEqual([
      'should be at most 4096 character(s)',
      'is invalid',
      'setting port is not allowed',
      'a b is not a valid FQDN',
      'is invalid: duplicates are not allowed: a b',
    ])
  })
})

describe('an endpoint', () => {
  const port = fc.integer({ min: 0, max: 65_535 })

  it('is an address or a host name, with an optional port', () => {
    fc.assert(
      fc.property(ipv4, ipv6, hostName, port, (four, six, name, port) => {
        const valid = [four, six, name, `${four}:${port}`, `[${six}]`, `[${six}]:${port}`, `${name}:${port}`]
        for (const text of valid) expect(endpointMessages(text), text).toEqual([])
      }),
    )
  })

  it('has a port of 0 to 65535 in decimal digits', () => {
    const wrong = fc.oneof(fc.integer({ min: 65_536 }).map(String), fc.constantFrom('', 'x', '-1', ' 1', '1.0', '0x1'))
    fc.assert(
      fc.property(fc.oneof(hostName, ipv4), ipv6, wrong, (host, six, port) => {
        const message = ['port is not a number between 0 and 65535']
        expect(endpointMessages(`${host}:${port}`)).toEqual(message)
        expect(endpointMessages(`[${six}]:${port}`)).toEqual(message)
      }),
    )
  })

  it('reports an invalid host before an invalid port', () => {
    fc.assert(
      fc.property(hostName, fc.constantFrom(' ', '/', '@', '#', ','), (name, mark) => {
        expect(endpointMessages(`${name}${mark}:x`)).toEqual([`${name}${mark} is not a valid FQDN`])
        expect(endpointMessages(`${name}${mark}`)).toEqual([`${name}${mark} is not a valid FQDN`])
      }),
    )
  })
})

describe('a destination', () => {
  it('is an address or a network, with an idempotent canonical form', () => {
    fc.assert(
      fc.property(fc.oneof(address, network, noise), (text) => {
        const canonical = canonicalDestination(text)
        expect(canonical !== null, text).toBe(isNetwork(text))
        fc.pre(canonical !== null)
        expect(canonicalDestination(canonical)).toBe(canonical)
        expect(canonicalDestination(text.toUpperCase())).toBe(canonical)
        expect(canonical).not.toMatch(/^[^:]*\/32$|:.*\/128$/)
      }),
    )
  })
})
