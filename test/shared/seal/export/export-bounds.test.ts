import {
  closeSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ExportFault } from '#shared/seal/export/check-export.ts'
import { NotAnExport } from '#shared/seal/export/export-file.ts'
import { sealLine } from '#shared/seal/export/export-seal.ts'
import { compareExport, describeVerified, Unproven, verifyExport } from '#shared/seal/export/verify-export.ts'
import {
  changeAt,
  changes,
  exportText,
  instantAt,
  keyText,
  newSigner,
  noteFor,
  originOf,
  rootOf,
  sealedExport,
} from '#test/support/seal/sealed-export.ts'

let dir: string
let files = 0
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'export-bounds-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const signer = newSigner()
const key = keyText(signer)
const log = { entries: changes(60), signer }
const newFile = () => join(dir, `${files++}.ndjson`)
const write = (made: string | Parameters<typeof exportText>[0]) => {
  const file = newFile()
  writeFileSync(file, typeof made === 'string' ? made : exportText(made))
  return file
}
const verified = (made: Parameters<typeof exportText>[0]) => verifyExport(write(made), { key })

it.each([
  ['within the log', 5, 9],
  ['of the whole log', 0, 60],
  ['from its first entry', 0, 7],
  ['to its last entry', 50, 60],
  ['without entries', 9, 9],
  ['without entries before the first', 0, 0],
  ['without entries behind the last', 60, 60],
])('proves a range %s', async (_what, from, to) => {
  const { proven, seal } = await verified(sealedExport(log, from, to))
  expect([proven, seal.entries]).toEqual([{ begin: true, end: true }, to - from])
})

it('does not confirm an empty range that has entries in the log', async () => {
  const whole = sealedExport(log).seal
  const none = { entries: 0, before: null, after: null, first: null, last: null, leaves: '' }
  await expect(verified({ lines: [], seal: { ...whole, ...none } })).rejects.toThrow(ExportFault)
  const inner = sealedExport(log, 9, 9).seal
  const range = { begin: instantAt(3), end: instantAt(4) }
  await expect(verified({ lines: [], seal: { ...inner, range } })).rejects.toThrow('The entry before the range')
  const turned = { begin: instantAt(50), end: instantAt(1) }
  await expect(verified({ lines: [], seal: { ...inner, range: turned } })).rejects.toThrow(NotAnExport)
  const wider = { ...inner, range: { begin: instantAt(3), end: inner.range.end } }
  await expect(verified({ lines: [], seal: wider })).rejects.toThrow('is in the range')
})

it('rejects entries outside of the range, and neighbours that are not adjacent', async () => {
  const made = sealedExport(log, 5, 9)
  const range = { begin: instantAt(7), end: made.seal.range.end }
  await expect(verified({ ...made, seal: { ...made.seal, range } })).rejects.toThrow('is not in the range')
  for (const change of [{ before: changeAt(3) }, { after: changeAt(11) }, { before: null }, { after: null }]) {
    await expect(verified({ ...made, seal: { ...made.seal, ...change } })).rejects.toThrow(ExportFault)
  }
})

it('reports an unproven end when its neighbour has expired', async () => {
  const place = sealedExport(log, 6, 9).seal.first
  const made = sealedExport(log, 5, 9, { before: null, first: place })
  const found = await verified(made)
  expect(found.proven).toEqual({ begin: false, end: true })
  const { begin } = found.seal.range
  expect(describeVerified(found, key)).toContain(`NOT PROVEN: that no entry is missing between ${begin} and the first`)
  expect(describeVerified(found, key)).not.toContain('complete')
  const empty = sealedExport(log, 5, 5, { before: null, first: place })
  await expect(verified(empty)).rejects.toThrow(Unproven)
})

/** Creates a large sparse file, which takes few disk blocks. */
const sparse = (begin: string, size: number, end: string) => {
  const path = newFile()
  const file = openSync(path, 'w')
  writeSync(file, begin)
  ftruncateSync(file, size)
  writeSync(file, end, size)
  closeSync(file)
  return path
}
const sealText = `${sealLine(sealedExport(log).seal)}\n`
const gigabyte = 2 ** 30

it.each<[string, () => string, string]>([
  [
    'one line of a gigabyte',
    () => sparse('{"x":"', gigabyte, `"}\n${sealText}`),
    'Line 1 is longer than 8388608 bytes',
  ],
  [
    '60 MB before the marks',
    () => sparse(`{"type":"seal","x":"`, 60 * 2 ** 20, `",${sealText.slice(1)}`),
    'not a seal',
  ],
  [
    'three gigabytes behind the marks',
    () => sparse(sealText.slice(0, -3), 3 * gigabyte, '"}\n'),
    'The last line is longer',
  ],
  ['a seal of a terabyte', () => sparse('{"type":"seal"', 1_024 * gigabyte, '"}\n'), 'The last line is longer'],
  ['nothing but zeros', () => sparse('', 3 * gigabyte, ''), 'The last line is longer'],
  ['a line feed alone', () => write('\n'), 'its last line is not a seal'],
  ['another version', () => write(sealText.replace('"version":2', '"version":1')), 'an export of version 1'],
])('cannot check a file with %s, and says so soon', async (_what, make, message) => {
  const found = verifyExport(make(), { key })
  await expect(found).rejects.toThrow(message)
  await expect(found).rejects.toBeInstanceOf(NotAnExport)
})

it('takes linear time in the size of the file', async () => {
  const timeOf = async (lines: number) => {
    const path = newFile()
    const line = `${' '.repeat(60_000)}\n`
    writeFileSync(path, line.repeat(lines) + sealText)
    const started = performance.now()
    await expect(verifyExport(path, { key })).rejects.toThrow()
    return performance.now() - started
  }
  // Measures how long the search for the seal takes, because the verification of each file then fails at the first line.
  const [small, large] = [await timeOf(10), await timeOf(1_000)]
  expect(large).toBeLessThan(small * 100 + 1_000)
})

it('compares with a file larger than the maximum string length', async () => {
  const file = write(sealedExport(log))
  const large = sparse('{"type":"change"', 600 * 2 ** 20, `\n${sealText}`)
  await expect(compareExport(file, large, key)).rejects.toThrow('Line 1 is longer than 8388608 bytes')
  const note = newFile()
  writeFileSync(note, noteFor(log))
  expect(await compareExport(file, note, key)).toContain('extends')
  truncateSync(note, 2 * gigabyte)
  await expect(compareExport(file, note, key)).rejects.toThrow('is neither an export nor a checkpoint note')
})

it('rejects counts that are not safe integers', async () => {
  const made = sealedExport(log)
  const first = { leaf_index: 2 ** 60, path: [] }
  await expect(verified({ ...made, seal: { ...made.seal, first } })).rejects.toThrow(NotAnExport)
})

// Catches a verifier that searches for the proof of a leaf beyond the log, which would exhaust the memory.
it('rejects a leaf beyond the log with any path', async () => {
  const made = sealedExport(log)
  const first = { leaf_index: 2 ** 40, path: [Buffer.alloc(32).toString('base64')] }
  await expect(verified({ ...made, seal: { ...made.seal, first } })).rejects.toThrow('do not match')
})

it('rejects a device file', async () => {
  await expect(verifyExport('/dev/zero', { key })).rejects.toThrow('is not a file')
  await expect(compareExport(write(sealedExport(log)), '/dev/zero', key)).rejects.toThrow('is not a file')
})

const older = { entries: log.entries.slice(0, 40), signer }
const following = (size: number, root: Buffer, shared: number) => ({
  ...log,
  origin: 'changes.2',
  extensions: [
    `follows ${originOf(log)} ${size} ${root.toString('base64')}`,
    `shares ${shared} ${log.entries[shared - 1]?.log_id}`,
  ],
})

it('proves a fork by two signed roots of one size', async () => {
  const olderFile = write(sealedExport(older))
  const wrongRoot = Buffer.alloc(32, 7)
  const good = write(sealedExport(following(40, rootOf(older.entries), 40)))
  expect(await compareExport(good, olderFile, key)).toContain('which it follows')
  const message = `FORKED: two signed statements of ${originOf(log)} name different roots of its first 40 leaves`
  const forked = write(sealedExport(following(40, wrongRoot, 40)))
  await expect(compareExport(forked, olderFile, key)).rejects.toThrow(message)
  await expect(compareExport(forked, noteFor(older), key)).rejects.toThrow(message)
  await expect(compareExport(olderFile, forked, key)).rejects.toThrow(message)
  // Compares with a longer export of the older log, which includes the tree size stated by the newer log.
  const longer = write(sealedExport({ entries: log.entries.with(45, changeAt(45, {})).slice(0, 50), signer }))
  await expect(compareExport(forked, longer, key)).rejects.toThrow(message)
  await expect(compareExport(good, longer, key)).rejects.toThrow('RESTARTED')
  const other = { entries: log.entries.with(3, changeAt(3, { name: 'forged' })).slice(0, 40), signer }
  await expect(compareExport(write(sealedExport(other)), olderFile, key)).rejects.toThrow(message)
})

it('proves a fork by contradicting predecessor lines', async () => {
  const of = (shared: number, root = rootOf(older.entries)) => following(40, root, shared)
  const longer = write(sealedExport(of(39)))
  const shorter = { ...of(39), entries: log.entries.slice(0, 50) }
  expect(await compareExport(longer, noteFor(shorter), key)).toContain('extends')
  const message = `FORKED: two signed statements of ${originOf(of(39))} name different logs that it follows`
  for (const other of [of(38), of(39, Buffer.alloc(32, 7)), { ...of(39), extensions: [] }]) {
    await expect(compareExport(longer, noteFor(other), key)).rejects.toThrow(message)
    const { entries } = shorter
    await expect(compareExport(longer, noteFor({ ...other, entries }), key)).rejects.toThrow(message)
  }
})

it('does not decide what neither file proves', async () => {
  const late = sealedExport(log, 50)
  await expect(compareExport(write(late), noteFor(older), key)).rejects.toThrow(Unproven)
})
