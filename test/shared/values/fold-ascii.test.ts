import { expect, it } from 'vitest'
import { foldAscii } from '#shared/values/text.ts'

it.each([
  ['Ada@Example.COM', 'ada@example.com'],
  ['\u212Aate@example.com', '\u212Aate@example.com'],
  ['É@example.com', 'É@example.com'],
  ['[@`{', '[@`{'],
])('folds %s to %s', (text, folded) => {
  expect(foldAscii(text)).toBe(folded)
})
