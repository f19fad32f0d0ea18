import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs'
import * as v from 'valibot'
import { type Checkpoint, parseCheckpoint } from './checkpoint.ts'
import { ExportSeal } from './export-seal.ts'
import { NoteError, openNote, parseNote, parseVerifierKey } from './signed-note.ts'

/** A file that is no export. */
export class NoExport extends Error {}

const lineFeed = 10
const step = 1_048_576

/** The last line of a file, without reading what is before it, and where it begins. @throws NoExport where there is none */
export function lastLine(path: string): { text: string; begin: number; size: number } {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    throw new NoExport(`${path} cannot be read.`)
  }
  try {
    const { size } = fstatSync(file)
    let tail = Buffer.alloc(0)
    for (let begin = size; begin > 0; ) {
      const length = Math.min(step, begin)
      begin -= length
      const part = Buffer.alloc(length)
      readSync(file, part, 0, length, begin)
      tail = Buffer.concat([part, tail])
      const end = tail.at(-1) === lineFeed ? tail.length - 1 : tail.length
      const found = tail.lastIndexOf(lineFeed, end - 1)
      if (found >= 0 || begin === 0) {
        return { text: tail.toString('utf8', found + 1, end), begin: begin + found + 1, size }
      }
    }
  } finally {
    closeSync(file)
  }
  throw new NoExport(`${path} is empty.`)
}

/** The seal in the last line of an export. @throws NoExport */
export function readSeal(path: string): { seal: ExportSeal; begin: number } {
  const { text, begin } = lastLine(path)
  try {
    return { seal: v.parse(ExportSeal, JSON.parse(text)), begin }
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

/** The lines of a file up to an offset, as they are read. */
export async function* linesUntil(path: string, end: number): AsyncGenerator<string> {
  if (end === 0) return
  let rest = ''
  for await (const part of createReadStream(path, { end: end - 1, encoding: 'utf8', highWaterMark: step })) {
    const lines = (rest + part).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}
