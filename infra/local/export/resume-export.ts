import { appendFileSync, statSync, truncateSync } from 'node:fs'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import { linesUntil } from '#shared/seal/export/export-file.ts'
import { lastLine, readSeal } from '#shared/seal/export/read-export.ts'
import { Fault } from '../fault.ts'
import type { Entry, ExportType } from './log-answers.ts'

/** What of an export is written already. */
export type Written = { first: Entry | null; last: Entry | null; entries: number }

/**
 * What a broken export has already; what is not a whole line of it goes.
 * @throws Fault for one that is whole, and for a file that is none of this stream: nothing of that is touched
 */
export function resumeExport(out: string, type: ExportType): Written {
  const written: Written = { first: null, last: null, entries: 0 }
  const found = statSync(out, { throwIfNoEntry: false })
  if (found && !found.isFile()) throw new Fault(`${out} is no file.`)
  if (!found || found.size === 0) return written
  if (isWhole(out)) throw new Fault(`${out} is a whole export already.`)
  const foreign = new Fault(`${out} is there already, and is no export of ${type} that broke off. Give another --out.`)
  const { begin, size, text, isEnded } = lastLine(out)
  const isCut = !isJson(text) || (!isEnded && text.startsWith('{"type":"seal"'))
  if (isCut && !begins(text, type)) throw foreign
  const end = isCut ? begin : size
  for (const line of linesUntil(out, end)) {
    const entry = entryOf(line, type)
    if (!entry || entry.log_id <= (written.last?.log_id ?? '')) throw foreign
    written.first ??= entry
    written.last = entry
    written.entries++
  }
  truncateSync(out, end)
  if (!isCut && !isEnded) appendFileSync(out, '\n')
  return written
}

function isWhole(out: string): boolean {
  try {
    readSeal(out)
    return true
  } catch {
    return false
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function entryOf(line: string, type: ExportType): Entry | null {
  const { type: found, log_id, timestamp } = isJson(line) ? fieldsOf(JSON.parse(line)) : {}
  return found === type && typeof log_id === 'string' && typeof timestamp === 'string' ? { log_id, timestamp } : null
}

/** The beginnings of lines, whose names are in alphabetical order. */
const starts: Record<ExportType, string> = {
  change: '{"after":',
  session: '{"context":"',
  api_request: '{"actor_id":"',
}

/** Whether a line that broke off can have been one of an entry, or the seal. */
const begins = (text: string, type: ExportType): boolean =>
  [starts[type], '{"type":"seal"'].some((line) => text.startsWith(line) || line.startsWith(text))
