import { isUtf8 } from 'node:buffer'
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import * as v from 'valibot'
import { ExportSeal, exportVersion, markBytes, marksLength, sealLine } from './export-seal.ts'

/** Thrown for a file that cannot be verified: missing, unreadable, not an export, or larger than an export can be. */
export class NotAnExport extends Error {}

/** Chunk size in bytes: a multiple of 16, so that each chunk of base64 marks can be decoded alone. */
const chunkBytes = 65_536

/** Maximum size of a line in bytes. A change with 1,000,000 bytes of snapshots (L2.7) is smaller, even with escapes. */
const maxEntryLine = 8_388_608

/** Opens the file, runs `work` and closes the file. @throws NotAnExport for a file that cannot be read */
function withFile<T>(path: string, work: (file: number, size: number) => T): T {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats && !stats.isFile()) throw new NotAnExport(`${path} is not a file.`)
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    throw new NotAnExport(`${path} cannot be read.`)
  }
  try {
    return work(file, stats?.size ?? 0)
  } finally {
    closeSync(file)
  }
}

function readPart(file: number, begin: number, end: number, into = Buffer.alloc(Math.max(0, end - begin))): Buffer {
  return into.subarray(0, readSync(file, into, 0, Math.max(0, end - begin), begin))
}

/** Yields the bytes between two offsets in chunks. All chunks reuse one buffer. @throws NotAnExport if the file became shorter */
function* readChunks(path: string, begin: number, end: number): Generator<Buffer> {
  const file = openSync(path, 'r')
  try {
    const part = Buffer.alloc(chunkBytes)
    for (let at = begin; at < end; at += chunkBytes) {
      const bytes = readPart(file, at, Math.min(end, at + chunkBytes), part)
      if (bytes.length < Math.min(chunkBytes, end - at))
        throw new NotAnExport(`${path} became shorter while it was read.`)
      yield bytes
    }
  } finally {
    closeSync(file)
  }
}

/** Decodes UTF-8. @throws NotAnExport for invalid UTF-8, because replacement characters would hide changes */
function decodeText(path: string, bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new NotAnExport(`${path} is not UTF-8 text.`)
  return bytes.toString('utf8')
}

/** Returns the offset after the last occurrence of a character between two offsets; 0 if the character is absent. */
function offsetAfterLast(character: string, file: number, begin: number, end: number): number {
  const part = Buffer.alloc(chunkBytes)
  for (let at = end; at > begin; at -= chunkBytes) {
    const from = Math.max(begin, at - chunkBytes)
    const found = readPart(file, from, at, part).lastIndexOf(character)
    if (found >= 0) return from + found + 1
  }
  return 0
}

/** Yields the lines before an offset, in linear time and bounded memory. @throws NotAnExport for an oversized line */
export function* linesUntil(path: string, end: number): Generator<string> {
  let [pending, length, number]: [Buffer[], number, number] = [[], 0, 1]
  const lineOf = (last: Buffer): string => {
    const text = decodeText(`${path}, line ${number++}`, pending.length > 0 ? Buffer.concat([...pending, last]) : last)
    ;[pending, length] = [[], 0]
    return text
  }
  for (const bytes of readChunks(path, 0, end)) {
    let from = 0
    for (let to = bytes.indexOf('\n'); to >= 0; to = bytes.indexOf('\n', from)) {
      yield lineOf(bytes.subarray(from, to))
      from = to + 1
    }
    if (from === bytes.length) continue
    pending.push(Buffer.from(bytes.subarray(from)))
    length += bytes.length - from
    if (length > maxEntryLine) throw new NotAnExport(`${path}: Line ${number} is longer than ${maxEntryLine} bytes.`)
  }
  if (length > 0) yield lineOf(Buffer.alloc(0))
}

type MarksRange = { begin: number; end: number }

/** Yields the marks of the sealed entries, which are the first bytes of their leaf hashes. Stops early at invalid base64. */
export function* sealedMarks(path: string, { begin, end }: MarksRange): Generator<Buffer> {
  for (const part of readChunks(path, begin, end)) {
    const text = part.toString('latin1')
    const marks = Buffer.from(text, 'base64')
    if (marks.length % markBytes !== 0 || marks.toString('base64') !== text) return
    for (let at = 0; at < marks.length; at += markBytes) yield marks.subarray(at, at + markBytes)
  }
}

/** Maximum size in bytes of a seal without its marks. Enough for 200,000 hours of an activity log (more than ten years). */
const maxHead = 33_554_432
const maxEntries = 10_000_000
const maxSealLine = maxHead + marksLength(maxEntries)
const lineEnd = '"}'

type LastLine = { begin: number; end: number; isEnded: boolean }

function findLastLine(path: string, file: number, size: number): LastLine {
  if (size === 0) throw new NotAnExport(`${path} is empty.`)
  const isEnded = readPart(file, size - 1, size).toString('latin1') === '\n'
  const end = isEnded ? size - 1 : size
  const begin = offsetAfterLast('\n', file, Math.max(0, end - maxSealLine - 1), end)
  if (end - begin > maxSealLine) throw new NotAnExport(`${path}: The last line is longer than ${maxSealLine} bytes.`)
  return { begin, end, isEnded }
}

/** Returns the last line of a file and the offset at which the line starts. @throws NotAnExport for an empty file or an oversized line */
export const readLastLine = (path: string): { text: string; begin: number; size: number; isEnded: boolean } =>
  withFile(path, (file, size) => {
    const { begin, end, isEnded } = findLastLine(path, file, size)
    return { text: readPart(file, begin, end).toString('utf8'), begin, size, isEnded }
  })

function rejectOtherVersion(path: string, start: string): void {
  const [, version] = /^\{"type":"seal","version":(\d{1,9}),/.exec(start) ?? []
  if (version === undefined || Number(version) === exportVersion) return
  throw new NotAnExport(`${path} is an export of version ${version}; only version ${exportVersion} can be verified.`)
}

/** Reads the seal in the last line of an export. `marks` locates the marks, which are not loaded. @throws NotAnExport */
export const readSeal = (path: string): { seal: ExportSeal; begin: number; marks: MarksRange } =>
  withFile(path, (file, size) => {
    const { begin, end, isEnded } = findLastLine(path, file, size)
    rejectOtherVersion(path, readPart(file, begin, Math.min(end, begin + 64)).toString('latin1'))
    // Base64 contains no quotes, so the marks start after the last quote.
    const marksEnd = Math.max(begin, end - lineEnd.length)
    const marks = { begin: offsetAfterLast('"', file, begin, marksEnd), end: marksEnd }
    const isWhole = isEnded && marks.begin > begin && marks.begin - begin <= maxHead
    const start = isWhole ? decodeText(path, readPart(file, begin, marks.begin)) : ''
    const seal = parseSeal(start + readPart(file, marks.end, end).toString('latin1'))
    if (!seal) throw new NotAnExport(`${path} is not an export: its last line is not a seal in the form of an export.`)
    return { seal, begin, marks }
  })

/** Parses a seal line without its marks. Returns null for text that an export cannot contain. */
function parseSeal(text: string): ExportSeal | null {
  try {
    const seal = v.parse(ExportSeal, JSON.parse(text))
    const isOfLog = seal.log === 'activity' || !(seal.hours || seal.begin || seal.end)
    return isOfLog && sealLine(seal) === text ? seal : null
  } catch {
    return null
  }
}

const maxNote = 65_536

/**
 * Reads the note of a checkpoint. `file` is the path of the export that contains the note, or null if no export does.
 * @param against text of a note, or path of a file with a note or an export
 * @throws NotAnExport
 */
export function readNote(against: string): { note: string; file: string | null } {
  if (against.includes('\n')) return { note: against, file: null }
  const text = withFile(against, (file, size) => {
    const start = readPart(file, 0, Math.min(size, maxNote + 1))
    if (start[0] === '{'.charCodeAt(0)) return null
    if (start.length <= maxNote) return decodeText(against, start)
    throw new NotAnExport(`${against} is neither an export nor a checkpoint note.`)
  })
  if (text === null) return { note: readSeal(against).seal.note, file: against }
  return { note: text, file: null }
}
