import { isIP } from 'node:net'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkAddress } from '#shared/domain/resources/address.ts'
import { mustBe } from '#test/support/form-messages.ts'

/** Compares the check of DNS names with a character-by-character implementation of A18.4. */

const letters = ['a', 'Z', '0', '9', 'п', 'é', '漢', '\u0301', '٣']
const wild = ['*', '?', '**']
const bad = ['_', '&', ' ', '/', '😀', '.', '']
const piece = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...letters) },
  { weight: 3, arbitrary: fc.constantFrom('-', ...wild) },
  { weight: 1, arbitrary: fc.constantFrom(...bad) },
)
const label = fc.oneof(
  { weight: 8, arbitrary: fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('')) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('*', '**', '?', '*-*', 'com', 'org', 'de', 'localhost', 'LocalHost', 'internal'),
  },
  { weight: 1, arbitrary: fc.integer({ min: 60, max: 66 }).map((length) => 'x'.repeat(length)) },
)
const name = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join('.'))

const common = 'com org net edu gov mil biz info name mobi pro'.split(' ')
const isWord = (character: string) => /^[\p{L}\p{M}\p{Nd}]$/u.test(character)

function isLabel(text: string): boolean {
  const characters = [...text]
  if (characters.length < 1 || characters.length > 63) return false
  if (characters.at(0) === '-' || characters.at(-1) === '-') return false
  if (characters.some((character) => !isWord(character) && !'-*?'.includes(character))) return false
  // Allows `**` only as a whole label.
  return text === '**' || !characters.some((character, i) => character === '*' && characters[i + 1] === '*')
}

function expected(address: string): object {
  const characters = [...address]
  if (characters.length > 253) return { message: 'should be at most 253 character(s)' }
  if (isIP(address) > 0) return { message: 'is an IP address, use a resource of type ip or cidr' }
  const labels = address.split('.')
  if (!labels.every(isLabel)) return { message: mustBe.resourceName }
  const last = (labels.pop() as string).toLowerCase()
  if (last.includes('*') || last.includes('?')) return { message: 'cannot have a wildcard in the top-level domain' }
  if (last === 'localhost') return { message: 'cannot be in the localhost domain' }
  const wildcards = labels.filter((text) => text.replaceAll('*', '').replaceAll('?', '') === '')
  const needsOne = common.includes(last) || [...last].length === 2
  if (needsOne && labels.length > 0 && wildcards.length === labels.length)
    return { message: 'needs a label that is not a wildcard' }
  return { address }
}

it('are kept unchanged, or refused by the first violated rule', () => {
  fc.assert(
    fc.property(name, (text) => {
      const address = text.trim()
      expect(checkAddress('dns', text), JSON.stringify(text)).toEqual(expected(address))
    }),
    { numRuns: 3000 },
  )
})

it('have at most 253 characters of any number of bytes', () => {
  fc.assert(
    fc.property(fc.constantFrom('a', 'п', '漢'), fc.integer({ min: 245, max: 260 }), (letter, length) => {
      const rest = length - 4 * 50
      const text = [...Array.from({ length: 4 }, () => letter.repeat(49)), letter.repeat(rest)].join('.')
      fc.pre(rest <= 63)
      expect(checkAddress('dns', text)).toEqual(
        length <= 253 ? { address: text } : { message: 'should be at most 253 character(s)' },
      )
    }),
  )
})

it('are valid URL hosts if they have no wildcard', () => {
  const ascii = fc.array(fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(ascii, (labels) => {
      const text = [...labels, 'internal'].join('.')
      fc.pre(labels.every((part) => part.slice(2, 4) !== '--'))
      expect(new URL(`http://${text}`).hostname).toBe(text)
      expect(checkAddress('dns', text)).toEqual({ address: text })
    }),
  )
})

it('with one colon or a port after a bracket are refused with their own message', () => {
  fc.assert(
    fc.property(fc.constantFrom('dns', 'ip', 'cidr'), name, fc.nat(70_000), (type, host, port) => {
      const message = 'cannot contain a port number'
      expect(checkAddress(type, `${host}:${port}`)).toEqual({ message })
      expect(checkAddress(type, `[${host}]:${port}`)).toEqual({ message })
    }),
  )
})
