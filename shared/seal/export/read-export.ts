import * as v from 'valibot'
import { type Checkpoint, parseCheckpoint } from '../notes/checkpoint.ts'
import { NoteError, openNote, parseNote, parseVerifierKey } from '../notes/signed-note.ts'
import { findLastLine, NoExport, readPart, textOf, withFile } from './export-file.ts'
import { sealLine } from './export-line.ts'
import { ExportSeal, exportVersion, marksLength } from './export-seal.ts'
import type { MarksPlace } from './sealed-marks.ts'

/** The largest seal without its marks: 200,000 hours of an activity log, more than ten years. */
const maxHead = 33_554_432
const maxEntries = 10_000_000
const maxSealLine = maxHead + marksLength(maxEntries)
const step = 65_536
const quote = 34
const lineEnd = '"}'

/** Reads the last line of a file, and where it begins. @throws NoExport where there is none */
export const lastLine = (path: string): { text: string; begin: number; size: number; isEnded: boolean } =>
  withFile(path, (file, size) => {
    const { begin, end, isEnded } = findLastLine(path, file, size, maxSealLine)
    return { text: readPart(file, begin, end).toString('utf8'), begin, size, isEnded }
  })

/** Offset of the marks: behind the last quote before `end`, since the marks have none. */
function findMarks(file: number, begin: number, end: number): number {
  const part = Buffer.alloc(step)
  for (let at = end; at > begin; at -= step) {
    const from = Math.max(begin, at - step)
    const found = readPart(file, from, at, part).lastIndexOf(quote)
    if (found >= 0) return from + found + 1
  }
  return begin
}

/** @throws NoExport for a seal of another version */
function rejectOtherVersion(path: string, start: string): void {
  const [, version] = /^\{"type":"seal","version":(\d{1,9}),/.exec(start) ?? []
  if (version === undefined || Number(version) === exportVersion) return
  throw new NoExport(`${path} is an export of version ${version}; only version ${exportVersion} can be verified.`)
}

/** The seal in the last line of an export, whose `leaves` stay in the file. @throws NoExport */
export const readSeal = (path: string): { seal: ExportSeal; begin: number; marks: MarksPlace } =>
  withFile(path, (file, size) => {
    const { begin, end, isEnded } = findLastLine(path, file, size, maxSealLine)
    rejectOtherVersion(path, readPart(file, begin, Math.min(end, begin + 64)).toString('latin1'))
    const marksEnd = Math.max(begin, end - lineEnd.length)
    const marks = { path, begin: findMarks(file, begin, marksEnd), end: marksEnd }
    const isWhole = isEnded && marks.begin > begin && marks.begin - begin <= maxHead
    const head = isWhole ? textOf(path, readPart(file, begin, marks.begin)) : ''
    const text = head + readPart(file, marks.end, end).toString('latin1')
    const seal = parseSeal(text)
    if (!seal) throw new NoExport(`${path} is no export: its last line is no seal, or not in the form of an export.`)
    return { seal, begin, marks }
  })

/** The seal of a line without its marks; null for a text that an export does not write. */
function parseSeal(text: string): ExportSeal | null {
  try {
    const seal = v.parse(ExportSeal, JSON.parse(text))
    const isOfLog = seal.log === 'activity' || !(seal.hours || seal.begin || seal.end)
    return isOfLog && sealLine(seal) === text ? seal : null
  } catch {
    return null
  }
}

/** Upper bound of a note, which has only a few lines. */
const maxNote = 65_536

/**
 * The note to compare with, and the export that it is of, if it is of one.
 * @param against a note, or the file of one or of an export
 * @throws NoExport
 */
export function readNote(against: string): { note: string; file: string | null } {
  if (against.includes('\n')) return { note: against, file: null }
  const text = withFile(against, (file, size) => {
    const start = readPart(file, 0, Math.min(size, maxNote + 1))
    if (start[0] === '{'.charCodeAt(0)) return null
    if (start.length <= maxNote) return textOf(against, start)
    throw new NoExport(`${against} is neither an export nor the note of a checkpoint.`)
  })
  if (text === null) return { note: readSeal(against).seal.note, file: against }
  return { note: text, file: null }
}

/** @throws NoExport for what is no note, checkpoint or key */
function read<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof NoteError) throw new NoExport(error.message)
    throw error
  }
}

/** The checkpoint of a note, unverified. @throws NoExport for what is no checkpoint */
export const parsedCheckpoint = (note: string): Checkpoint => read(() => parseCheckpoint(parseNote(note).text))

/** The checkpoint of a note that a key has signed; null where it has not. @throws NoExport for what is no checkpoint */
export const signedCheckpoint = (note: string, key: string): Checkpoint | null =>
  read(() => {
    const text = openNote(note, parseVerifierKey(key))
    return text === null ? null : parseCheckpoint(text)
  })

/** Names of the keys that a note is signed by. @throws NoExport for what is no note */
export const signersOf = (note: string): string[] => read(() => parseNote(note).signatures.map(({ name }) => name))
