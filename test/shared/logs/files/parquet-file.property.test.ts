import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { LogEntry } from '#shared/logs/entries/log-entry.ts'
import { type LogStream, logStreams } from '#shared/logs/entries/log-id.ts'
import { groupRows, logColumns } from '#shared/logs/files/columns.ts'
import { entryRow, rowEntry } from '#shared/logs/files/entry-rows.ts'
import { encodeFile } from '#shared/logs/files/parquet-writer.ts'
import { arbitraryEntries } from '#test/support/logs/arbitrary-entries.ts'
import { openBuffer, readRows } from '#test/support/logs/parquet-files.ts'

it.each(logStreams)('entries of the stream %s are restored from a file', async (stream) => {
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryEntries[stream], { minLength: 1, maxLength: 40 }), async (entries) => {
      const rows = await readRows(encodeFile(stream, entries.map(entryRow)))
      expect(Object.keys(rows[0] ?? {})).toEqual(Object.keys(logColumns[stream]))
      expect(rows.map((row) => rowEntry(stream, row))).toEqual(entries)
    }),
    { numRuns: 40 },
  )
})

/** Repeats a few entries, because generating thousands of them takes long. Clones them, because some have no prototype. */
function manyEntries(stream: LogStream, count: number): LogEntry[] {
  const few = structuredClone(fc.sample(arbitraryEntries[stream], 500))
  return Array.from({ length: count }, (_, i) => few[(i * i) % few.length] as LogEntry)
}

it.each([groupRows, 2 * groupRows + 1])('%i rows are stored in full row groups', async (count) => {
  for (const stream of ['change', 'flow'] as const) {
    const entries = manyEntries(stream, count)
    const file = encodeFile(stream, entries.map(entryRow))
    const { groups } = await openBuffer(file)
    expect(groups.slice(0, -1).every((rows) => rows === groupRows)).toBe(true)
    expect(groups.reduce((sum, rows) => sum + rows, 0)).toBe(count)
    const restored = (await readRows(file)).map((row) => rowEntry(stream, row))
    expect(isDeepStrictEqual(restored, entries), stream).toBe(true)
  }
})

it('the id of the changed object and the columns without a field are stored', async () => {
  const [change] = fc.sample(arbitraryEntries.change, 1) as [LogEntry]
  const row = entryRow({ ...change, after: { id: 'object' } } as LogEntry)
  const extended = { ...row, leaf: 2n ** 63n - 1n, erased_at: 1_764_000_000_000_001, erased_leaf: 'hash' }
  const [read] = await readRows(encodeFile('change', [extended]))
  expect(read).toEqual(extended)
  expect(read?.object_id).toBe('object')
})
