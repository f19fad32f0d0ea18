import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonFault, jsonFaultPosition } from '#shared/core/json/json-fault.ts'

const message = (text: string): string | null => {
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
}

/** JSON with some characters removed, replaced or added, which is often still valid. */
const damaged = fc
  .tuple(
    fc.json({ maxDepth: 3 }),
    fc.nat(),
    fc.nat(3),
    fc.constantFrom('', '{', '}', '[', ']', ',', ':', '"', '\\', '\n', '0', '-', 'x', 'é', '\u0001', ' '),
  )
  .map(([json, at, count, more]) => {
    const position = json.length === 0 ? 0 : at % (json.length + 1)
    return json.slice(0, position) + more + json.slice(position + count)
  })

describe('the fault of malformed JSON', () => {
  it('exists exactly if the engine refuses the text', () => {
    fc.assert(
      fc.property(damaged, (text) => {
        expect(jsonFault(text) === null, text).toBe(message(text) === null)
      }),
      { numRuns: 2_000 },
    )
  })

  it('is at the end of truncated JSON', () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.constantFrom('a', 'b'), fc.array(fc.nat()))), fc.nat(), (lists, at) => {
        const json = JSON.stringify(lists)
        const cut = json.slice(0, at % json.length)
        expect(jsonFault(cut)).toBe(cut.length)
      }),
    )
  })

  it('has a line and a column', () => {
    expect(jsonFaultPosition('{')).toBe('line 1, column 2')
    expect(jsonFaultPosition("{'a': 1}")).toBe('line 1, column 2')
    expect(jsonFaultPosition('{\n  "a": 1,\n}')).toBe('line 3, column 1')
    expect(jsonFaultPosition('[1, 01]')).toBe('line 1, column 6')
  })

  it('is found in long and deeply nested text', () => {
    expect(jsonFault(`"${'\\n'.repeat(2_000_000)}`)).toBe(4_000_001)
    expect(jsonFault('['.repeat(1_000_000))).toBe(1_000_000)
  })
})
