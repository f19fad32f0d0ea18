import { Fault } from '../fault.ts'
import type { Checkpoint } from './log-answers.ts'
import type { LogClient } from './log-client.ts'
import { olderLog } from './older-log.ts'

/** The proof that this checkpoint, which has a note, extends the one of another export or note. */
export async function extension(
  client: LogClient,
  log: string,
  { size: to, follows }: Checkpoint,
  note: string,
  against: string | undefined,
) {
  if (against === undefined) return {}
  const { size: from, origin, root } = olderLog(against, note)
  if (follows?.origin === origin && from > follows.shared) {
    throw new Fault(
      `The log follows ${origin} and has its first ${follows.shared} leaves; the log to compare with has ${from}. Export without --against.`,
    )
  }
  if (from > to) throw new Fault('The log to compare with is longer than the newest checkpoint.')
  const query = { from: String(from), to: String(to) }
  const { data } = await client.get<{ data: { path: string[] } }>(`/logs/checkpoints/${log}/consistency`, query)
  return { extends: { from, root: root.toString('base64'), path: data.path } }
}
