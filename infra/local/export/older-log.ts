import { parsedCheckpoint, readNote } from '#shared/seal/export/read-export.ts'
import { parseOrigin } from '#shared/seal/log/sealed-log.ts'
import type { Checkpoint } from '#shared/seal/notes/checkpoint.ts'
import { Fault } from '../fault.ts'

/**
 * The checkpoint that a newer log is to be compared with.
 * @param against a note, or the file of one or of an export
 * @throws NoExport for what is neither, Fault for a checkpoint of another log
 */
export function olderLog(against: string, note: string): Checkpoint {
  const older = parsedCheckpoint(readNote(against).note)
  const own = parsedCheckpoint(note)
  const [a, b] = [parseOrigin(older.origin), parseOrigin(own.origin)]
  if (a?.account !== b?.account || a?.log !== b?.log)
    throw new Fault(`The log to compare with is ${older.origin}; this one is ${own.origin}.`)
  return older
}
