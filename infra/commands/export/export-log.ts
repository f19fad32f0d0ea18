import { appendFileSync } from 'node:fs'
import * as v from 'valibot'
import { hourMicros, microsOf, timestamp } from '#shared/core/clock.ts'
import { readNote } from '#shared/seal/export/export-file.ts'
import { ExportSeal, entryLine, exportVersion, sealLine } from '#shared/seal/export/export-seal.ts'
import { parseOrigin } from '#shared/seal/log/sealed-log.ts'
import { parseCheckpoint } from '#shared/seal/notes/checkpoint.ts'
import { parseNote } from '#shared/seal/notes/signed-note.ts'
import { StartupError } from '../../local/files/fault.ts'
import {
  type CoveredEntry,
  type ExportedEntry,
  type ExportOptions,
  type FetchedCheckpoint,
  findLeast,
  type LogClient,
} from './log-client.ts'
import { holdExport, rejectOtherRange, resumeExport, type WrittenEntries } from './resume-export.ts'
import { sealProofs } from './seal-proofs.ts'

/** Writes an export (S5.1), or resumes an interrupted one. */
export async function exportLog(client: LogClient, options: ExportOptions) {
  const { type, begin, end, out } = options
  const lock = holdExport(out)
  try {
    const log = type === 'change' ? 'changes' : 'activity'
    const checkpoint = (await client.get<{ data: FetchedCheckpoint }>(`/logs/checkpoints/${log}`)).data
    const { note, size, follows } = checkpoint
    if (note === null) throw new StartupError('This log has no sealed entries yet. Try again in five minutes.')
    const writtenEntries = resumeExport(out, type)
    const extensionFields = await extension(client, log, checkpoint, note, options.against)
    const last = await lastCovered(client, options, size)
    await rejectOtherRange(client, options, last?.entry ?? null, writtenEntries)
    if (last) await writeEntries(client, options, last.entry, writtenEntries)
    const range = { begin: timestamp(begin), end: timestamp(end) }
    const seal = v.parse(ExportSeal, {
      type: 'seal',
      version: exportVersion,
      log,
      stream: type,
      range,
      note,
      verifier_key: checkpoint.verifier_key,
      ...(await sealProofs(client, options, size, last, writtenEntries)),
      ...(follows && { follows: { note: follows.note } }),
      ...extensionFields,
    } satisfies ExportSeal)
    appendFileSync(out, `${sealLine(seal)}\n`, { mode: 0o600 })
    return { entries: writtenEntries.entries, range, isUpToCheckpoint: seal.after === null }
  } finally {
    lock.release()
  }
}

/**
 * Fetches the proof that the checkpoint extends the one in an earlier note or export.
 * @param against a note, or the path of a note or export
 * @throws NotAnExport or NoteError if `against` is neither, StartupError if its checkpoint cannot be extended
 */
async function extension(
  client: LogClient,
  log: string,
  { size: to, follows }: FetchedCheckpoint,
  note: string,
  against: string | undefined,
) {
  if (against === undefined) return {}
  const { size: from, origin, root } = parseCheckpoint(parseNote(readNote(against).note).text)
  const ownOrigin = parseCheckpoint(parseNote(note).text).origin
  const [a, b] = [parseOrigin(origin), parseOrigin(ownOrigin)]
  if (a?.account !== b?.account || a?.log !== b?.log)
    throw new StartupError(`The log to compare with is ${origin}, but this log is ${ownOrigin}.`)
  if (follows?.origin === origin && from > follows.shared) {
    throw new StartupError(
      `The log follows ${origin} and shares only its first ${follows.shared} leaves, but the log to compare with has ${from}. Export without --against.`,
    )
  }
  if (from > to) throw new StartupError('The log to compare with is longer than the newest checkpoint.')
  const query = { from: String(from), to: String(to) }
  const { data } = await client.get<{ data: { path: string[] } }>(`/logs/checkpoints/${log}/consistency`, query)
  return { extends: { from, root: root.toString('base64'), path: data.path } }
}

/** Finds the newest entry in the range that the checkpoint covers. The checkpoint also covers all older entries. */
async function lastCovered(client: LogClient, range: ExportOptions, size: number): Promise<CoveredEntry | null> {
  for await (const entries of client.pages(range)) {
    const isCovered = async (i: number) => (await client.fetchProof(entries[i], size)) !== null
    const found = await client.fetchProof(entries[await findLeast(0, entries.length, isCovered)], size)
    if (found) return found
  }
  return null
}

/**
 * Number of entries above which the next time range is made shorter. Below a quarter of this number, the next time range is made longer.
 */
const perSlice = 2_000
const longestSlice = 720 * hourMicros

async function writeEntries(
  client: LogClient,
  { type, begin, out, progress }: ExportOptions,
  last: ExportedEntry,
  writtenEntries: WrittenEntries,
): Promise<void> {
  const first = writtenEntries.last ?? (await client.oldest(type, begin)) ?? last
  const [from, end] = [microsOf(first.timestamp), microsOf(last.timestamp)]
  for (let [at, width] = [from, hourMicros]; at <= end; ) {
    const until = Math.min(end, at + width - 1)
    const entries = await slice(client, type, at, until)
    if (!entries) {
      width = Math.max(1, Math.floor(width / 4))
      continue
    }
    const after = writtenEntries.last?.log_id ?? ''
    const newEntries = entries.filter(({ log_id }) => log_id <= last.log_id && log_id > after)
    appendFileSync(out, newEntries.map((entry) => `${entryLine(entry)}\n`).join(''), { mode: 0o600 })
    writtenEntries.first ??= newEntries[0] ?? null
    writtenEntries.last = newEntries.at(-1) ?? writtenEntries.last
    writtenEntries.entries += newEntries.length
    at = until + 1
    if (entries.length < perSlice / 4) width = Math.min(width * 2, longestSlice)
    if (entries.length > perSlice) width = Math.max(1, Math.floor(width / 2))
    progress?.((at - from) / Math.max(1, end - from), writtenEntries.entries)
  }
}

/** Reads the entries of a time range, oldest first; null if there are too many to hold in memory. */
async function slice(client: LogClient, type: ExportOptions['type'], begin: number, end: number) {
  const entries: ExportedEntry[] = []
  for await (const page of client.pages({ type, begin, end })) {
    if (entries.length > 5 * perSlice && end > begin) return null
    entries.push(...page)
  }
  return entries.reverse()
}
