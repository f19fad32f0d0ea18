import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isLoopbackAddress, isPublicAddress } from '#shared/outside/public-address.ts'

/** Returns whether an IPv4 address is special-purpose according to the IANA registry, computed from its octets. */
const isSpecial = ([a, b, c]: number[]): boolean => {
  if (a === undefined || b === undefined) return true
  if (a === 0 || a === 10 || a === 127 || a >= 224) return true
  if (a === 100) return b >= 64 && b <= 127
  if (a === 169) return b === 254
  if (a === 172) return b >= 16 && b <= 31
  if (a === 192) return b === 168 || (b === 0 && (c === 0 || c === 2)) || (b === 88 && c === 99)
  if (a === 198) return b === 18 || b === 19 || (b === 51 && c === 100)
  return a === 203 && b === 0 && c === 113
}

const near = (...values: number[]) =>
  fc.oneof(
    fc.integer({ min: 0, max: 255 }),
    fc.constantFrom(...values.flatMap((value) => [value - 1, value, value + 1])),
  )
const ipv4 = fc.tuple(
  near(10, 100, 127, 169, 172, 192, 198, 203, 224),
  near(1, 16, 64, 88, 168),
  near(1, 2, 99),
  near(1),
)
const hex = (n: number) => n.toString(16).padStart(2, '0')

it('recognises public IPv4 addresses, in every notation', () => {
  fc.assert(
    fc.property(ipv4, (octets) => {
      const dotted = octets.join('.')
      const [a = 0, b = 0, c = 0, d = 0] = octets
      expect([dotted, isPublicAddress(dotted)]).toEqual([dotted, !isSpecial(octets)])
      expect(isPublicAddress(`::ffff:${dotted}`)).toBe(isPublicAddress(dotted))
      expect(isPublicAddress(`::ffff:${hex(a)}${hex(b)}:${hex(c)}${hex(d)}`)).toBe(isPublicAddress(dotted))
      // Covers the prefixes for address translation and tunnelling, which can reach a private address.
      for (const prefix of ['::', '64:ff9b::']) expect(isPublicAddress(`${prefix}${dotted}`)).toBe(false)
      expect(isPublicAddress(`2002:${hex(a)}${hex(b)}:${hex(c)}${hex(d)}::1`)).toBe(false)
    }),
    { numRuns: 2000 },
  )
})

it('treats no IPv6 address outside 2000::/3 as public', () => {
  const word = fc.integer({ min: 0, max: 0xffff })
  const outside = fc.integer({ min: 1, max: 0xffff }).filter((first) => first >> 13 !== 1)
  fc.assert(
    fc.property(outside, fc.array(word, { minLength: 7, maxLength: 7 }), (first, rest) => {
      const address = [first, ...rest].map((n) => n.toString(16)).join(':')
      expect([address, isPublicAddress(address)]).toEqual([address, false])
    }),
  )
})

it.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '169.254.169.254',
  '172.31.255.255',
  '192.168.0.1',
  '198.51.100.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:10.0.0.1',
  '::ffff:127.0.0.1',
  '64:ff9b::a00:1',
  'fc00::1',
  'fe80::1',
  'fe80::1%eth0',
  '2606:4700::1111%eth0',
  'ff02::1',
  '2001:db8::1',
  '2002:a00:1::',
  'nonsense',
  '',
])('does not treat %s as public', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

it.each(['8.8.8.8', '172.32.0.1', '::ffff:8.8.8.8', '2606:4700::1111'])('treats %s as public', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

it.each(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'])('treats %s as this machine', (address) => {
  expect(isLoopbackAddress(address)).toBe(true)
})

it.each(['128.0.0.1', '0.0.0.0', '::', '::2', '::ffff:10.0.0.1', 'localhost', '::1%lo'])(
  'does not treat %s as this machine',
  (address) => {
    expect(isLoopbackAddress(address)).toBe(false)
  },
)
