import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { HostName, Integer, OutsideUrl, Subdomain } from '#shared/values/fields.ts'
import { mustBe } from '#test/support/form-messages.ts'

const read = (schema: v.GenericSchema, input: unknown) => {
  const result = v.safeParse(schema, input)
  return result.success ? { value: result.output } : { message: result.issues[0].message }
}

describe('a host name', () => {
  it('is any domain name, in lower case and without surrounding spaces', () => {
    fc.assert(
      fc.property(fc.domain(), (domain) => {
        expect(read(HostName, ` ${domain.toUpperCase()} `)).toEqual({ value: domain.toLowerCase() })
      }),
    )
  })

  it('equals the host of a URL with it', () => {
    const nearName = fc.stringMatching(/^[aZ9-]{1,4}(\.[aZ9-]{1,4}){1,2}[_/:@#?%é ]?$/)
    fc.assert(
      fc.property(nearName, (text) => {
        const result = read(HostName, text)
        fc.pre('value' in result)
        expect(new URL(`https://${result.value}`).host).toBe(result.value)
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    'localhost',
    '127.0.0.1',
    '[::1]',
    'a..b.com',
    '.a.com',
    'a.com.',
    '-a.com',
    'a-.com',
    'a.c',
    'a_b.com',
    'x'.repeat(64).concat('.com'),
  ])('is not %s', (text) => {
    expect(read(HostName, text)).toEqual({ message: mustBe.hostName })
  })
})

describe('an https address', () => {
  it('is kept as sent', () => {
    fc.assert(
      fc.property(fc.webUrl({ validSchemes: ['https'], withQueryParameters: true }), (url) => {
        expect(read(OutsideUrl, url)).toEqual({ value: url })
      }),
      { numRuns: 20 },
    )
  })

  it.each([
    'http://a.example.com',
    'https:',
    'https://',
    '//a.example.com',
    'a.example.com',
    'https://u:p@a.example.com',
    'https://u@a.example.com',
    'javascript:alert(1)',
  ])('is not %s', (text) => {
    expect(read(OutsideUrl, text)).toEqual({ message: mustBe.httpsUrl })
  })
})

it('accepts 1 to 63 of a-z, 0-9 and - for a subdomain', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'az09-'), minLength: 1, maxLength: 63 }), (text) => {
      expect(read(Subdomain, text)).toEqual({ value: text })
    }),
  )
  for (const text of ['A', 'a.b', 'a_b', 'é']) expect(read(Subdomain, text)).toEqual({ message: mustBe.subdomain })
  expect(read(Subdomain, 'a'.repeat(64))).toEqual({ message: 'should be at most 63 character(s)' })
})

it('accepts an integer within its bounds, as a number or as digits', () => {
  const schema = Integer({ min: 300, max: 86_400, fallback: 28_800 })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100_000 }), (n) => {
      const expected =
        n < 300
          ? { message: 'must be greater than or equal to 300' }
          : n > 86_400
            ? { message: 'must be less than or equal to 86400' }
            : { value: n }
      expect([read(schema, n), read(schema, String(n))]).toEqual([expected, expected])
    }),
  )
  expect(read(schema, null)).toEqual({ value: 28_800 })
  for (const bad of [300.5, '3e2', '0x12c', [300], {}, true, '1'.repeat(40)]) {
    expect(read(schema, bad)).toEqual({ message: mustBe.integer })
  }
})
