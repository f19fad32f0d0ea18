import { expect, it } from 'vitest'
import type { ChangeEntry } from '#shared/logs/entries/log-entry.ts'
import { cutEntry } from '#shared/logs/render-entries.ts'

const entry = (before: ChangeEntry['before'], after: ChangeEntry['after']): ChangeEntry => ({
  type: 'change',
  log_id: `c${'0'.repeat(23)}`,
  timestamp: '2026-01-01T00:00:00.000000Z',
  object: 'policies',
  operation: 'update',
  before,
  after,
  subject: null,
  run_id: null,
})
const text = (bytes: number) => 'x'.repeat(bytes - 2)
const bytesOf = ({ before, after }: ChangeEntry) =>
  [before, after].reduce((sum, one) => sum + (one ? Buffer.byteLength(JSON.stringify(one)) : 0), 0)

it('does not truncate an entry of a million bytes', () => {
  const whole = entry({ a: text(500_000 - 6) }, { a: text(500_000 - 6) })
  expect(bytesOf(whole)).toBe(1_000_000)
  expect(cutEntry(whole)).toBe(whole)
})

it('replaces the field that is largest in both snapshots together, and lists it in truncated', () => {
  const large = { id: 'p', conditions: text(400_000), filters: text(399_000), name: 'ß' }
  const cut = { ...large, conditions: null }
  expect(cutEntry(entry(large, { ...large, conditions: text(400_001) }))).toEqual({
    ...entry(cut, cut),
    truncated: ['conditions'],
  })
})

it('replaces fields, largest first, until the entry fits', () => {
  const fields = Object.fromEntries([1, 3, 2, 4].map((n) => [`f${n}`, text(n * 450_000)]))
  const cut = cutEntry(entry(null, fields)) as ChangeEntry
  expect(cut.truncated).toEqual(['f4', 'f3', 'f2'])
  expect(cut.after).toEqual({ ...fields, f4: null, f3: null, f2: null })
  expect(cut.before).toBeNull()
})

it('adds no field to a snapshot without it', () => {
  const cut = cutEntry(entry({ id: 'p' }, { id: 'p', conditions: text(1_000_000) }))
  expect(cut).toMatchObject({ before: { id: 'p' }, after: { id: 'p', conditions: null }, truncated: ['conditions'] })
  expect((cut as ChangeEntry).before).toEqual({ id: 'p' })
})

it.each(['"', 'ß', '\u0001', 'x'])('fits a million bytes with texts of %j', (character) => {
  const fields = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`f${i}`, character.repeat(100_000 + i)]))
  const cut = cutEntry(entry(fields, fields)) as ChangeEntry
  expect(bytesOf(cut)).toBeLessThanOrEqual(1_000_000)
  const [last = ''] = cut.truncated?.slice(-1) ?? []
  const restored = entry({ ...cut.before, [last]: fields[last] }, { ...cut.after, [last]: fields[last] })
  expect(bytesOf(restored)).toBeGreaterThan(1_000_000)
})
