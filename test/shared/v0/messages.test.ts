import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { CommaListCast, TrimmedCast } from '#shared/v0/casts.ts'
import { networkListMessages, serverListMessages } from '#shared/v0/grammars.ts'
import { isBlank, trimmed } from '#shared/v0/messages.ts'

/** Code points with the Unicode property White_Space (PropList.txt). */
const whiteSpace = [
  ...[0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0, 0x1680],
  ...[0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a],
  ...[0x2028, 0x2029, 0x202f, 0x205f, 0x3000],
].map((code) => String.fromCodePoint(code))
const noWhiteSpace = ['\ufeff', '\u180e', '\u200b', '\u200c', '\u200d', '\u2060', '\u0000', '\u001f']

describe('white space', () => {
  it.each(whiteSpace)('%j is trimmed, and is blank', (space) => {
    expect(trimmed(`${space}a b${space}${space}`)).toBe('a b')
    expect(isBlank(space)).toBe(true)
    expect(v.parse(CommaListCast, space)).toBeNull()
    expect(networkListMessages(`192.0.2.1${space},${space}::/0`, { repeats: false })).toEqual([])
    expect(serverListMessages(`ns${space},ns`)).toEqual(['is invalid: duplicates are not allowed: ns'])
  })

  it.each(noWhiteSpace)('%j is neither trimmed nor blank', (character) => {
    expect(trimmed(`${character}a${character}`)).toBe(`${character}a${character}`)
    expect(isBlank(character)).toBe(false)
  })

  it('is trimmed at both ends only', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...whiteSpace, '\ufeff', 'a', '\u{1f600}')), (parts) => {
        const isSpace = (part: string | undefined) => part !== undefined && whiteSpace.includes(part)
        const rest = [...parts]
        while (isSpace(rest[0])) rest.shift()
        while (isSpace(rest.at(-1))) rest.pop()
        expect(v.parse(TrimmedCast, parts.join('')) ?? '').toBe(rest.join(''))
      }),
    )
  })

  it('of a megabyte within text is processed in linear time', () => {
    const text = `a${' '.repeat(1_000_000)}b`
    expect(trimmed(` ${text} `)).toBe(text)
  })
})
