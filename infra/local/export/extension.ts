import { parseCheckpoint } from '#shared/seal/checkpoint.ts'
import { readSeal } from '#shared/seal/read-export.ts'
import { parseNote } from '#shared/seal/signed-note.ts'
import { Fault } from '../fault.ts'
import type { Checkpoint } from './log-answers.ts'
import type { LogClient } from './log-client.ts'

/** The proof that this checkpoint extends the one of another export or note. */
export async function extension(client: LogClient, log: string, checkpoint: Checkpoint, against: string | undefined) {
  if (against === undefined) return {}
  const note = against.includes('\n') ? against : readSeal(against).seal.note
  const { size: from, origin } = parseCheckpoint(parseNote(note).text)
  const { size: to, follows } = checkpoint
  if (follows?.origin === origin && from > follows.shared) {
    throw new Fault(
      `The log follows ${origin} and has its first ${follows.shared} leaves; the log to compare with has ${from}. Export without --against.`,
    )
  }
  if (from > to) throw new Fault('The log to compare with is longer than the newest checkpoint.')
  const query = { from: String(from), to: String(to) }
  const { data } = await client.get<{ data: { path: string[] } }>(`/logs/checkpoints/${log}/consistency`, query)
  return { extends: [{ from, path: data.path }] }
}
