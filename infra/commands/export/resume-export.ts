import { accessSync, appendFileSync, constants, rmSync, statSync, truncateSync } from 'node:fs'
import { dirname } from 'node:path'
import { microsOf, parseTimestamp } from '#shared/core/clock.ts'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import { linesUntil, readLastLine, readSeal } from '#shared/seal/export/export-file.ts'
import { StartupError } from '../../local/files/fault.ts'
import { type Lock, tryLock } from '../../local/files/lock.ts'
import type { ExportedEntry, ExportOptions, ExportType, LogClient } from './log-client.ts'

export type WrittenEntries = { first: ExportedEntry | null; last: ExportedEntry | null; entries: number }

/**
 * Reads the entries of an interrupted export, and removes an incomplete last line.
 * @throws StartupError, without changing the file, if the export is complete or the file is not an export of this type
 */
export function resumeExport(out: string, type: ExportType): WrittenEntries {
  const writtenEntries: WrittenEntries = { first: null, last: null, entries: 0 }
  const found = statSync(out, { throwIfNoEntry: false })
  if (found && !found.isFile()) throw new StartupError(`${out} is not a file.`)
  if (!found || found.size === 0) return writtenEntries
  if (tryRead(() => readSeal(out))) throw new StartupError(`${out} is already a complete export. Choose another --out.`)
  const foreign = new StartupError(
    `${out} already exists and is not an interrupted export of ${type}. Choose another --out.`,
  )
  const { begin, size, text, isEnded } = readLastLine(out)
  const isCut = parsed(text) === undefined || (!isEnded && text.startsWith('{"type":"seal"'))
  if (isCut && !canBeStart(text, type)) throw foreign
  const end = isCut ? begin : size
  for (const line of linesUntil(out, end)) {
    const entry = parseEntry(line, type)
    if (!entry || entry.log_id <= (writtenEntries.last?.log_id ?? '')) throw foreign
    writtenEntries.first ??= entry
    writtenEntries.last = entry
    writtenEntries.entries++
  }
  truncateSync(out, end)
  if (!isCut && !isEnded) appendFileSync(out, '\n')
  return writtenEntries
}

function tryRead<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

const parsed = (text: string): unknown => tryRead(() => JSON.parse(text))

function parseEntry(line: string, type: ExportType): ExportedEntry | null {
  const { type: found, log_id, timestamp } = fieldsOf(parsed(line))
  const isEntry = found === type && typeof log_id === 'string' && typeof timestamp === 'string'
  return isEntry && parseTimestamp(timestamp) !== null ? { log_id, timestamp } : null
}

/** Fixed beginning of an entry's line, by type. All lines of a type begin alike, because fields are in alphabetical order. */
const lineStarts: Record<ExportType, string> = {
  change: '{"after":',
  session: '{"context":"',
  api_request: '{"actor_id":"',
}

const canBeStart = (text: string, type: ExportType): boolean =>
  [lineStarts[type], '{"type":"seal"'].some((line) => text.startsWith(line) || line.startsWith(text))

/**
 * Checks that the entries written so far fit the requested range, which the seal will prove.
 * @throws StartupError if the export was started with a different range
 */
export async function rejectOtherRange(
  client: LogClient,
  { type, begin, out }: ExportOptions,
  last: ExportedEntry | null,
  writtenEntries: WrittenEntries,
): Promise<void> {
  if (!writtenEntries.first || !writtenEntries.last) return
  const other = (option: string) =>
    new StartupError(
      `${out} is an interrupted export with another ${option}. Use the same ${option}, or choose another --out.`,
    )
  if (!last || writtenEntries.last.log_id > last.log_id) throw other('--end')
  const first = microsOf(writtenEntries.first.timestamp)
  if (first < begin || (await client.newest({ type, begin, end: first - 1 }))) throw other('--begin')
}

/**
 * Locks an export file against other writers until `release` is called or the process ends.
 * @throws StartupError while another process has the lock, and Node's error if the folder is not writable
 */
export function holdExport(out: string): Lock {
  accessSync(dirname(out), constants.W_OK)
  const file = `${out}.lock`
  const lock = tryLock(file)
  if (!lock) throw new StartupError(`Another export is writing ${out}. Wait until it ends, or choose another --out.`)
  return {
    release() {
      rmSync(file, { force: true })
      lock.release()
    },
  }
}
