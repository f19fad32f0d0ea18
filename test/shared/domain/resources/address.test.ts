import { describe, expect, it } from 'vitest'
import { checkAddress } from '#shared/domain/resources/address.ts'
import { mustBe } from '#test/support/form-messages.ts'

const valid = (type: 'dns' | 'cidr' | 'ip', given: string) => checkAddress(type, given)

describe('DNS names (A18.4)', () => {
  it.each([
    'example.com',
    'intranet',
    'sub.domain',
    '1234567890.com',
    '*.example.com',
    '**.example.com',
    '?.foo.example.com',
    'web-*.foo.example.com',
    'sub.**.example.com',
    '*.*.*.*.example.com',
    '*.internal',
    'a--b.com',
    'пример.рф',
    'xn--e1afmkfd.com',
    `${'a'.repeat(63)}.com`,
    'MixedCase.example',
  ])('takes %s', (address) => {
    expect(valid('dns', ` ${address} `)).toEqual({ address })
  })

  const notDns = mustBe.resourceName
  const isIp = 'is an IP address, use a resource of type ip or cidr'
  const wild = 'cannot have a wildcard in the top-level domain'
  it.each([
    ['1.1.1.1', isIp],
    ['1.1.1.1/32', isIp],
    ['2600::1', isIp],
    ['.example.com', notDns],
    ['example.com.', notDns],
    ['example..com', notDns],
    ['**example.com', notDns],
    ['foo**.com', notDns],
    ['***.foo.com', notDns],
    ['exa&mple.com', notDns],
    ['example_com', notDns],
    ['example.com/', notDns],
    ['-example.com', notDns],
    ['example-.com', notDns],
    [`${'a'.repeat(64)}.com`, notDns],
    ['*', wild],
    ['?', wild],
    ['**', wild],
    ['*.*', wild],
    ['foo.**', wild],
    ['*.com', 'needs a label that is not a wildcard'],
    ['app.localhost', 'cannot be in the localhost domain'],
    ['example.com:80', 'cannot contain a port number'],
    ['http://example.com', 'cannot contain a port number'],
    ['a'.repeat(254), 'should be at most 253 character(s)'],
  ])('refuses $0', (address, message) => {
    expect(valid('dns', address)).toEqual({ message })
  })
})

describe('CIDR blocks and addresses (A18.4)', () => {
  it.each([
    ['192.168.1.1/24', '192.168.1.0/24'],
    ['192.168.1.255/28', '192.168.1.240/28'],
    ['2607:f8b0:4012:0::200e/128', '2607:f8b0:4012::200e/128'],
  ])('normalises %s', (given, address) => {
    expect(valid('cidr', given)).toEqual({ address })
  })

  it.each([
    ['cidr', '192.168.1.1', mustBe.resourceCidr],
    ['cidr', '10.0.0.0/33', mustBe.resourceCidr],
    ['cidr', '::ffff:10.0.0.0/104', mustBe.resourceCidr],
    ['cidr', '0.0.0.0/0', 'cannot contain all addresses, use the Internet Resource'],
    ['cidr', '::/0', 'cannot contain all addresses, use the Internet Resource'],
    ['cidr', '127.0.0.0/8', 'cannot contain loopback addresses'],
    ['cidr', '100.64.1.0/24', 'cannot be in 100.64.0.0/10'],
    ['cidr', 'fd00:2021:1111::/64', 'cannot be in fd00:2021:1111::/48'],
    ['ip', '01.2.3.4', mustBe.resourceIp],
    ['ip', '10.0.0.1/32', mustBe.resourceIp],
    ['ip', '::ffff:10.0.0.1', mustBe.resourceIp],
    ['ip', '[2001:db8::1', 'has mismatched brackets'],
    ['ip', '[2001:db8::1]', mustBe.resourceIp],
    ['ip', '[2001:db8::1]:80', 'cannot contain a port number'],
    ['ip', '0.0.0.0', 'cannot be the unspecified address'],
    ['ip', '127.0.0.1', 'cannot contain loopback addresses'],
    ['ip', '10.0.0.1:80', 'cannot contain a port number'],
  ] as const)('refuses the %s %s', (type, given, message) => {
    expect(valid(type, given)).toEqual({ message })
  })
})
