import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { loadEntries } from '#test/support/operations/operations.ts'

const entries = await loadEntries()

/** One factory makes these operations for several kinds, so one file tests them for all: its name leaves the kind out. */
const kinds = [/(email-otp|oidc|suite|tenant|idp)-(?=auth-providers?\b)/g, /(suite|tenant|idp)-(?=director(y|ies)\b)/g]

const testFileOf = (file: string): string => {
  const named = kinds.reduce((name, kind) => name.replace(kind, ''), file)
  return `test/functions/${named.replace(/\.ts$/, '.test.ts')}`
}

it('has a test file of every operation, named for it', () => {
  const files = [...new Set(entries.map(({ file }) => testFileOf(file)))]
  expect(files.filter((file) => !existsSync(file))).toEqual([])
})
