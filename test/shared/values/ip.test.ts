import { BlockList, isIP } from 'node:net'
import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { ipFilter } from '#shared/values/filters.ts'
import {
  canonicalIp,
  contains,
  formatCidr,
  formatIp,
  type Ip,
  parseCidr,
  parseIp,
  parseRange,
} from '#shared/values/ip.ts'

const ipv4 = fc.ipV4()
const ipv6 = fc.ipV6()

describe('IP values', () => {
  it.each(['1.2.3', '01.2.3.4', '1.2.3.256', '', ' 1.2.3.4', 'fe80::1%eth0', '::1::', '1.2.3.4/32'])(
    'refuses %j',
    (text) => {
      expect(parseIp(text)).toBeNull()
    },
  )

  it.each([
    ['2607:f8b0:4012:0::200e', '2607:f8b0:4012::200e'],
    ['FD00:0:0:0:0:0:0:2', 'fd00::2'],
    ['::', '::'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['::ffff:1.2.3.4', '::ffff:1.2.3.4'],
  ])('writes %s as %s (RFC 5952)', (text, canonical) => {
    expect(canonicalIp(text)).toBe(canonical)
  })

  it('reads its own output', () => {
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6), (text) => {
        const ip = parseIp(text) as Ip
        expect(parseIp(formatIp(ip))).toEqual(ip)
      }),
    )
  })

  it('agrees with an independent block list', () => {
    fc.assert(
      fc.property(ipv4, fc.integer({ min: 0, max: 32 }), ipv4, (base, prefix, text) => {
        const list = new BlockList()
        list.addSubnet(base, prefix)
        const range = parseCidr(`${base}/${prefix}`)
        expect(range && contains(range, parseIp(text) as Ip)).toBe(list.check(text))
      }),
    )
    fc.assert(
      fc.property(ipv6, fc.integer({ min: 0, max: 128 }), ipv6, (base, prefix, text) => {
        const list = new BlockList()
        list.addSubnet(base, prefix, 'ipv6')
        const range = parseCidr(`${base}/${prefix}`)
        expect(range && contains(range, parseIp(text) as Ip)).toBe(list.check(text, 'ipv6'))
      }),
    )
  })

  it('clears the host bits', () => {
    expect([formatCidr(parseRange('192.168.1.255/28') as never), formatCidr(parseRange('10.0.0.1') as never)]).toEqual([
      '192.168.1.240/28',
      '10.0.0.1/32',
    ])
  })

  it('writes IPv6 as a URL does', () => {
    const group = fc.oneof(fc.constant('0'), fc.stringMatching(/^[0-9a-fA-F]{1,4}$/))
    const text = fc.array(group, { minLength: 8, maxLength: 8 }).map((groups) => groups.join(':'))
    fc.assert(
      fc.property(fc.oneof(text, ipv6), (address) => {
        const ip = parseIp(address) as Ip
        // Excludes mapped addresses, because a URL writes their IPv4 part in hexadecimal.
        fc.pre(ip.value >> 32n !== 0xffffn)
        expect(`[${formatIp(ip)}]`).toBe(new URL(`http://[${address}]`).hostname)
      }),
    )
  })

  it('accepts exactly the literals that Node accepts, except zones', () => {
    const character = fc.constantFrom(...'0123456789abcdefF:.%/ ')
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: character, maxLength: 20 }), ipv4, ipv6), (text) => {
        expect(parseIp(text) !== null).toBe(isIP(text) > 0 && !text.includes('%'))
      }),
      { numRuns: 2000 },
    )
  })

  it('compares filters in their canonical form, per address family (A33.3)', () => {
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6), (text) => {
        const canonical = canonicalIp(text)
        const [four, six] = ([4, 6] as const).map((family) => {
          const { success, output } = v.safeParse(ipFilter(family), text.toUpperCase())
          return success ? output : undefined
        })
        expect([four, six]).toEqual(isIP(text) === 4 ? [canonical, undefined] : [undefined, canonical])
      }),
    )
  })
})
