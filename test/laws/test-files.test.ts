import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { loadEntries } from '#test/support/operations/operations.ts'

const entries = await loadEntries()

const testFileOf = (file: string): string => `test/functions/${file.replace(/\.ts$/, '.test.ts')}`

it('has a test file of every operation, named after it', () => {
  const files = [...new Set(entries.map(({ file }) => testFileOf(file)))]
  expect(files.filter((file) => !existsSync(file))).toEqual([])
})
