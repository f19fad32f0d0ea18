import { readFileSync, statSync } from 'node:fs'
import { NoExport, parsedCheckpoint, readSeal } from '#shared/seal/export/read-export.ts'
import { parseOrigin } from '#shared/seal/log/sealed-log.ts'
import { type Checkpoint, parseCheckpoint } from '#shared/seal/notes/checkpoint.ts'
import { parseNote } from '#shared/seal/notes/signed-note.ts'
import { Fault } from '../fault.ts'

/** A note is some lines. */
const mostNote = 65_536

function noteIn(path: string): string {
  try {
    return readSeal(path).seal.note
  } catch (error) {
    if (!(error instanceof NoExport) || !statSync(path, { throwIfNoEntry: false })?.isFile()) throw error
    if (statSync(path).size > mostNote) throw error
    return readFileSync(path, 'utf8')
  }
}

/**
 * The checkpoint that a newer log is to be compared with.
 * @param against a note, or the file of one or of an export
 * @throws NoExport for what is neither, Fault for a checkpoint of another log
 */
export function olderLog(against: string, note: string): Checkpoint {
  const older = parsedCheckpoint(against.includes('\n') ? against : noteIn(against))
  const own = parseCheckpoint(parseNote(note).text)
  const [a, b] = [parseOrigin(older.origin), parseOrigin(own.origin)]
  if (a?.account !== b?.account || a?.log !== b?.log)
    throw new Fault(`The log to compare with is ${older.origin}; this one is ${own.origin}.`)
  return older
}
