import { appendFileSync, existsSync, truncateSync, writeFileSync } from 'node:fs'
import { lastLine, linesUntil, readSeal } from '#shared/seal/read-export.ts'
import { Fault } from '../fault.ts'
import type { Entry } from './log-answers.ts'

/** What of an export is written already. */
export type Written = { first: Entry | null; last: Entry | null; entries: number }

/** What a broken export has already; what is not a whole line of it goes. @throws Fault for one that is whole */
export async function resumeExport(out: string): Promise<Written> {
  const written: Written = { first: null, last: null, entries: 0 }
  if (!existsSync(out)) {
    writeFileSync(out, '', { mode: 0o600 })
    return written
  }
  if (isWhole(out)) throw new Fault(`${out} is a whole export already.`)
  const { begin, size, text } = sizeOf(out)
  let end = size
  try {
    JSON.parse(text)
  } catch {
    end = begin
  }
  truncateSync(out, end)
  for (const line of linesUntil(out, end)) {
    const entry: Entry = JSON.parse(line)
    written.first ??= entry
    written.last = entry
    written.entries++
  }
  if (end > 0 && end === size && !endsLine(out)) appendFileSync(out, '\n')
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

const sizeOf = (out: string) => {
  try {
    return lastLine(out)
  } catch {
    return { begin: 0, size: 0, text: '{}' }
  }
}

const endsLine = (out: string): boolean => {
  const { begin, size, text } = lastLine(out)
  return size - begin > Buffer.byteLength(text)
}
