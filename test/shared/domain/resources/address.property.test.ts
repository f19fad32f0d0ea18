import { BlockList, isIP } from 'node:net'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkAddress } from '#shared/domain/resources/address.ts'

const family = (text: string) => (text.includes(':') ? 'ipv6' : 'ipv4')

/** Addresses that no resource can have (A18.4), as a Node `BlockList`. */
const reserved = new BlockList()
reserved.addAddress('0.0.0.0', 'ipv4')
reserved.addAddress('::', 'ipv6')
reserved.addSubnet('127.0.0.0', 8, 'ipv4')
reserved.addAddress('::1', 'ipv6')
reserved.addSubnet('100.64.0.0', 10, 'ipv4')
reserved.addSubnet('fd00:2021:1111::', 48, 'ipv6')
const mapped = new BlockList()
mapped.addSubnet('::ffff:0:0', 96, 'ipv6')

const nearReserved = fc.constantFrom(
  '0.0.0.0',
  '0.0.0.1',
  '126.255.255.255',
  '127.0.0.0',
  '127.255.255.255',
  '128.0.0.0',
  '100.63.255.255',
  '100.64.0.0',
  '100.127.255.255',
  '100.128.0.0',
  '::',
  '::1',
  '::2',
  'fd00:2021:1110:ffff::1',
  'fd00:2021:1111::',
  'fd00:2021:1111:ffff::1',
  'fd00:2021:1112::',
)
const ip = fc.oneof(fc.ipV4(), fc.ipV6(), nearReserved)

it('accepts an IP address exactly if the block list does not contain it', () => {
  fc.assert(
    fc.property(ip, (text) => {
      fc.pre(!mapped.check(text, family(text)) || family(text) === 'ipv4')
      const result = checkAddress('ip', text)
      expect('address' in result, JSON.stringify([text, result])).toBe(!reserved.check(text, family(text)))
    }),
  )
})

it('normalises a CIDR to the same addresses, idempotently', () => {
  fc.assert(
    fc.property(ip, fc.nat(128), ip, (base, bits, probe) => {
      const prefix = bits % (family(base) === 'ipv4' ? 33 : 129)
      const result = checkAddress('cidr', `${base}/${prefix}`)
      fc.pre('address' in result && family(probe) === family(base))
      const [network = '', mask = ''] = result.address.split('/')
      expect(isIP(network)).toBe(family(base) === 'ipv4' ? 4 : 6)
      expect(Number(mask)).toBe(prefix)
      expect(checkAddress('cidr', result.address)).toEqual(result)
      const [given, kept] = [base, network].map((address) => {
        const list = new BlockList()
        list.addSubnet(address, prefix, family(base))
        return list.check(probe, family(probe))
      })
      expect(kept).toBe(given)
    }),
  )
})

it('refuses every CIDR that contains a reserved address', () => {
  fc.assert(
    fc.property(nearReserved, fc.nat(128), (address, bits) => {
      fc.pre(reserved.check(address, family(address)))
      const prefix = bits % (family(address) === 'ipv4' ? 33 : 129)
      expect(checkAddress('cidr', `${address}/${prefix}`)).toHaveProperty('message')
    }),
  )
})

it('accepts and keeps every host name of the old grammar under a longer top-level domain', () => {
  const label = fc.stringMatching(/^[a-zA-Z0-9]([a-zA-Z0-9-]{0,10}[a-zA-Z0-9])?$/)
  fc.assert(
    fc.property(fc.array(label, { minLength: 1, maxLength: 5 }), (labels) => {
      const name = [...labels, 'internal'].join('.')
      expect(checkAddress('dns', name)).toEqual({ address: name })
    }),
  )
})

it('never accepts an IP address, with or without a netmask, as a DNS name', () => {
  fc.assert(
    fc.property(ip, fc.nat(32), (text, prefix) => {
      expect(checkAddress('dns', text)).toHaveProperty('message')
      expect(checkAddress('dns', `${text}/${prefix}`)).toHaveProperty('message')
    }),
  )
})

it('returns an address or a message for any text', () => {
  fc.assert(
    fc.property(fc.constantFrom('dns', 'cidr', 'ip'), fc.string({ unit: 'binary' }), (type, text) => {
      const result = checkAddress(type, text)
      expect(Object.keys(result)).toEqual('address' in result ? ['address'] : ['message'])
    }),
  )
})
