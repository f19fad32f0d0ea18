import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import * as v from 'valibot'
import { type Checkpoint, parseCheckpoint } from '../notes/checkpoint.ts'
import { NoteError, openNote, parseNote, parseVerifierKey } from '../notes/signed-note.ts'
import { ExportSeal } from './export-seal.ts'
import type { MarksPlace } from './sealed-marks.ts'

/** A file that is no export. */
export class NoExport extends Error {}

const lineFeed = 10
const quote = 34
const step = 65_536

/** Does what asks for an open file. @throws NoExport where there is none */
function withFile<T>(path: string, work: (file: number, size: number) => T): T {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    throw new NoExport(`${path} cannot be read.`)
  }
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) throw new NoExport(`${path} is no file.`)
    return work(file, stats.size)
  } finally {
    closeSync(file)
  }
}

/** What lies between two places, in memory of its own or in that of `into`, which it fits. */
function readPart(file: number, begin: number, end: number, into = Buffer.alloc(Math.max(0, end - begin))): Buffer {
  return into.subarray(0, readSync(file, into, 0, Math.max(0, end - begin), begin))
}

/** Where the last line begins and ends, without its line feed. @throws NoExport for an empty file */
function lastLineIn(path: string, file: number, size: number): { begin: number; end: number } {
  if (size === 0) throw new NoExport(`${path} is empty.`)
  const end = readPart(file, size - 1, size)[0] === lineFeed ? size - 1 : size
  const part = Buffer.alloc(step)
  for (let at = end; at > 0; at -= step) {
    const from = Math.max(0, at - step)
    const found = readPart(file, from, at, part).lastIndexOf(lineFeed)
    if (found >= 0) return { begin: from + found + 1, end }
  }
  return { begin: 0, end }
}

/** The last line of a file, without reading what is before it, and where it begins. @throws NoExport where there is none */
export const lastLine = (path: string): { text: string; begin: number; size: number } =>
  withFile(path, (file, size) => {
    const { begin, end } = lastLineIn(path, file, size)
    return { text: readPart(file, begin, end).toString('utf8'), begin, size }
  })

/** What stands before the marks of a seal has the hours of an activity log at most. */
const mostHead = 67_108_864
const marksMember = Buffer.from('"leaves":"')

/** A line without its marks, which can be as long as the log, and where these stand; null where it has none. */
function withoutMarks(file: number, begin: number, end: number): { text: string; marks: [number, number] } | null {
  let head = Buffer.alloc(0)
  let found = -1
  for (let at = begin; at < Math.min(end, begin + mostHead) && found < 0; at += step) {
    head = Buffer.concat([head, readPart(file, at, Math.min(end, at + step))])
    found = head.indexOf(marksMember)
  }
  if (found < 0) return null
  const from = begin + found + marksMember.length
  const part = Buffer.alloc(step)
  for (let at = from; at < end; at += step) {
    const closing = readPart(file, at, Math.min(end, at + step), part).indexOf(quote)
    if (closing < 0) continue
    const to = at + closing
    const text = head.toString('utf8', 0, found + marksMember.length) + readPart(file, to, end).toString('utf8')
    return { text, marks: [from, to] }
  }
  return null
}

/** The seal in the last line of an export, whose `leaves` stay in the file. @throws NoExport */
export function readSeal(path: string): { seal: ExportSeal; begin: number; marks: MarksPlace } {
  const found = withFile(path, (file, size) => {
    const { begin, end } = lastLineIn(path, file, size)
    return { begin, line: withoutMarks(file, begin, end) }
  })
  try {
    if (!found.line) throw new NoExport()
    const [begin, end] = found.line.marks
    return { seal: v.parse(ExportSeal, JSON.parse(found.line.text)), begin: found.begin, marks: { path, begin, end } }
  } catch {
    throw new NoExport(`${path} is no export: its last line is no seal.`)
  }
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

/** The checkpoint of a note, whoever has signed it. @throws NoExport for what is no checkpoint */
export const parsedCheckpoint = (note: string): Checkpoint => read(() => parseCheckpoint(parseNote(note).text))

/** The checkpoint of a note that a key has signed; null where it has not. @throws NoExport for what is no checkpoint */
export const signedCheckpoint = (note: string, key: string): Checkpoint | null =>
  read(() => {
    const text = openNote(note, parseVerifierKey(key))
    return text === null ? null : parseCheckpoint(text)
  })

/** The lines of a file up to an offset. All of it is read into the same few bytes, so that no file takes more memory than another. */
export function* linesUntil(path: string, end: number): Generator<string> {
  const file = openSync(path, 'r')
  try {
    const part = Buffer.alloc(step)
    const decoder = new StringDecoder('utf8')
    let rest = ''
    for (let at = 0; at < end; ) {
      const read = readSync(file, part, 0, Math.min(step, end - at), at)
      if (read === 0) break
      at += read
      const lines = (rest + decoder.write(part.subarray(0, read))).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
    rest += decoder.end()
    if (rest !== '') yield rest
  } finally {
    closeSync(file)
  }
}
