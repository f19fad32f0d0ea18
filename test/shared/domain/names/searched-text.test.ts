import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldWords, markWords, patternOf } from '#shared/domain/names/searched-text.ts'
import { matchesSearch, searchAlphabet } from '#test/support/operations/search-model.ts'

const finds = (value: string, search: string): boolean =>
  foldWords(search).every((word) => markWords(value).includes(patternOf(word)))

describe('a search', () => {
  it.each([
    ['Uma User', 'uma', true],
    ['Uma User', 'USE um', true],
    ['Uma User', 'ser', false],
    ['Uma User', 'umauser', false],
    ['uma@example.com', 'example', true],
    ['uma@example.com', 'uma@ex', true],
    ['uma@example.com', '@example', true],
    ['uma@example.com', '.com', true],
    ['uma@example.com', 'xample', false],
    ['uma@ example.com', 'uma@ex', false],
    ['a-b_c/d:e', 'b_c/d:e', true],
    ['a-b_c/d:e', '_c', true],
    ['a+b', 'b', false],
    ['10.0.16.0/20', '16.0/2', true],
    ['fd00:2021:1111::1', ':1', true],
    ['--prod', '--p', true],
    ['Łukasz Żółć', 'lukasz zolc', true],
    ['ØRSTED', 'ørsted', true],
    ['Straße', 'STRASSE', true],
    ['STRASSE', 'straße', true],
    ['Ærø', 'aero', true],
    ['ΟΔΟΣΑ', 'οδος', true],
    ['İstanbul', 'istanbul', true],
    ['Ｆｕｌｌ', 'full', true],
    ['e\u0301te\u0301', 'été', true],
    ['a\u202eb', 'ab', true],
    ['first\u0000second', 'second', true],
    ['日本語 東京', '東', true],
    ['한국', '한', true],
    ['😀 smile', '😀', true],
  ])('in %j for %j', (value, search, isFound) => {
    expect(finds(value, search)).toBe(isFound)
  })

  it('finds what the model finds', () => {
    const text = fc.string({ unit: fc.constantFrom(...searchAlphabet), maxLength: 12 })
    const part = fc
      .tuple(text, fc.nat(12), fc.integer({ min: 1, max: 6 }))
      .map(([value, from, length]) => [value, [...value].slice(from, from + length).join('')] as const)
    fc.assert(
      fc.property(fc.oneof(fc.tuple(text, text), part), ([value, search]) => {
        expect(finds(value, search)).toBe(matchesSearch(value, search))
      }),
      { numRuns: 5_000 },
    )
  })

  it('of any text in itself finds it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        expect(finds(text, text)).toBe(true)
        // Nothing in a folded text is read as a separator of the index.
        expect(foldWords(text).join(' ')).not.toMatch(/[\n\t]/)
      }),
    )
  })
})
