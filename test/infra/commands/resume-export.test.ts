import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ExportOptions, LogClient } from '#infra/commands/export/log-client.ts'
import { rejectOtherRange, resumeExport, type WrittenEntries } from '#infra/commands/export/resume-export.ts'
import { microsOf } from '#shared/core/clock.ts'
import { lastLogMicros } from '#shared/logs/entries/log-id.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'resume-test-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const entryAt = (minute: number, type = 'change') => ({
  after: null,
  log_id: `c${minute}`,
  timestamp: `2026-11-22T10:0${minute}:00.000000Z`,
  type,
})
const linesOf = (...entries: object[]) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
const [first, second] = [entryAt(1), entryAt(2)]
const two = linesOf(first, second)

let files = 0
const fileWith = (text: string): string => {
  const file = join(dir, `${files++}.ndjson`)
  writeFileSync(file, text)
  return file
}
const toBoundary = ({ log_id, timestamp }: typeof first) => ({ log_id, timestamp })

it.each([
  ['complete lines', two, two, 2],
  ['a line without its end', two.trimEnd(), two, 2],
  ['part of an entry', two + linesOf(entryAt(3)).slice(0, 25), two, 2],
  ['part of the seal', `${two}{"type":"seal","version":2,"no`, two, 2],
  ['a seal without its line feed', `${two}{"type":"seal","version":2}`, two, 2],
  ['three characters', '{"t', '', 0],
  ['nothing', '', '', 0],
])('resumes after %s', (_name, text, left, entries) => {
  const file = fileWith(text)
  const expected = entries === 0 ? [null, null] : [toBoundary(first), toBoundary(second)]
  expect(resumeExport(file, 'change')).toEqual({ first: expected[0], last: expected[1], entries })
  expect(readFileSync(file, 'utf8')).toBe(left)
})

it.each([
  ['a text', 'one line\nanother\nthe last one\n'],
  ['text without an end', 'one line\nthe last one'],
  ['one line', 'precious'],
  ['JSON', '{\n  "name": "package"\n}\n'],
  ['entries of another stream', linesOf(entryAt(1, 'session'))],
  ['entries in the wrong order', linesOf(second, first)],
  ['text after entries', `${two}a note of mine`],
  ['text before entries', `a note of mine\n${two}{"after":null,"lo`],
])('refuses a file with %s, and does not change it', (_name, text) => {
  const file = fileWith(text)
  expect(() => resumeExport(file, 'change')).toThrow(
    `${file} already exists and is not an interrupted export of change. Choose another --out.`,
  )
  expect(readFileSync(file, 'utf8')).toBe(text)
})

it('refuses a directory', () => {
  expect(() => resumeExport(dir, 'change')).toThrow(`${dir} is not a file.`)
})

class HeldLog extends LogClient {
  private readonly entries: (typeof first)[]

  constructor(...logEntries: (typeof first)[]) {
    super('http://127.0.0.1', '')
    this.entries = logEntries
  }

  override async *pages({ begin, end }: { begin: number; end: number }) {
    yield this.entries.filter(({ timestamp }) => microsOf(timestamp) >= begin && microsOf(timestamp) <= end).reverse()
  }
}

const client = new HeldLog(entryAt(0), first, second, entryAt(3))
const written: WrittenEntries = { first: toBoundary(first), last: toBoundary(second), entries: 2 }
const check = (begin: string, last: typeof first | null, of = written) => {
  const options: ExportOptions = { type: 'change', begin: microsOf(begin), end: lastLogMicros, out: 'log.ndjson' }
  return rejectOtherRange(client, options, last, of)
}

it('resumes with the range of the interrupted export', async () => {
  await expect(check('2026-11-22T10:00:30Z', second)).resolves.toBeUndefined()
  await expect(check(first.timestamp, entryAt(3))).resolves.toBeUndefined()
  await expect(check('2020-01-01T00:00:00Z', null, { first: null, last: null, entries: 0 })).resolves.toBeUndefined()
  const whole = { ...written, first: toBoundary(entryAt(0)) }
  await expect(check('2020-01-01T00:00:00Z', second, whole)).resolves.toBeUndefined()
})

it.each([
  ['--begin', '2026-11-22T10:00:00Z', second],
  ['--begin', '2026-11-22T10:01:30Z', second],
  ['--end', first.timestamp, first],
  ['--end', first.timestamp, null],
])('refuses another %s, whose seal would prove another range', async (option, begin, last) => {
  await expect(check(begin, last)).rejects.toThrow(
    `log.ndjson is an interrupted export with another ${option}. Use the same ${option}, or choose another --out.`,
  )
})
