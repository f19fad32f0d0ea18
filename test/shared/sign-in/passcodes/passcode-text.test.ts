import fc from 'fast-check'
import { expect, it } from 'vitest'
import { newPasscode, readPasscode } from '#shared/sign-in/passcodes/passcode-text.ts'

it('has six unambiguous characters, and is accepted in any case (I2.5)', () => {
  for (let i = 0; i < 500; i++) {
    const passcode = newPasscode()
    expect(passcode).toMatch(/^[23456789ABCDEFGHJKMNPQRSTUVWXYZ]{6}$/)
    expect(readPasscode(` ${passcode.toLowerCase().slice(0, 3)} ${passcode.slice(3)}\n`)).toBe(passcode)
  }
})

it('uses its whole alphabet at every position', () => {
  const places = Array.from({ length: 6 }, () => new Set<string>())
  for (let i = 0; i < 3_000; i++) for (const [at, char] of [...newPasscode()].entries()) places[at]?.add(char)
  for (const seen of places) expect(seen.size).toBe(31)
})

it('rejects other text', () => {
  for (const text of ['', 'ABC23', 'ABC2345', 'ABC23I', 'ABC230', 'ABC231', 'ABCLOO', 'ABC23Ä', 'ABC23ſ']) {
    expect(readPasscode(text), text).toBeNull()
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const read = readPasscode(text)
      expect(read === null || /^[2-9A-HJKMNP-Z]{6}$/.test(read)).toBe(true)
    }),
  )
})
