import { appendFileSync } from 'node:fs'
import { entryLine } from '#shared/seal/export/export-line.ts'
import type { ExportOptions } from './export-options.ts'
import type { Entry, ExportType } from './log-answers.ts'
import type { LogClient } from './log-client.ts'
import { micros, rangeOf } from './neighbours.ts'
import type { Written } from './resume-export.ts'

/** A slice of time is made shorter above so many entries, and longer below a quarter. */
const perSlice = 2_000
const hour = 3_600_000_000
const longest = 720 * hour

/** The entries of a slice of time, oldest first; null where there are too many to hold. */
async function slice(client: LogClient, type: ExportType, begin: number, end: number): Promise<Entry[] | null> {
  const entries: Entry[] = []
  for await (const page of client.pages(rangeOf(type, begin, end))) {
    if (entries.length > 5 * perSlice && end > begin) return null
    entries.push(...page)
  }
  return entries.reverse()
}

/** Appends the entries up to the last one that is covered, in their order. */
export async function writeEntries(
  client: LogClient,
  options: ExportOptions,
  last: Entry,
  written: Written,
): Promise<void> {
  const [start, end] = [micros(options.begin), micros(last.timestamp)]
  let at = written.last ? micros(written.last.timestamp) : await firstInstant(client, options, start, end)
  const from = at
  for (let width = hour; at <= end; ) {
    const until = Math.min(end, at + width - 1)
    const entries = await slice(client, options.type, at, until)
    if (!entries) {
      width = Math.max(1, Math.floor(width / 4))
      continue
    }
    append(options.out, entries, last, written)
    at = until + 1
    if (entries.length < perSlice / 4) width = Math.min(width * 2, longest)
    if (entries.length > perSlice) width = Math.max(1, Math.floor(width / 2))
    options.progress?.((at - from) / Math.max(1, end - from), written.entries)
  }
}

/** Appends those of some entries that are not written yet and not behind the last one. */
function append(out: string, entries: Entry[], last: Entry, written: Written): void {
  const after = written.last?.log_id ?? ''
  const fresh = entries.filter(({ log_id }) => log_id <= last.log_id && log_id > after)
  if (fresh.length === 0) return
  appendFileSync(out, fresh.map((entry) => `${entryLine(entry)}\n`).join(''), { mode: 0o600 })
  written.first ??= fresh[0] ?? null
  written.last = fresh.at(-1) ?? written.last
  written.entries += fresh.length
}

/** Where the entries begin: a long time without any is passed in few steps. */
async function firstInstant(client: LogClient, { type }: ExportOptions, start: number, end: number): Promise<number> {
  let [low, high] = [start, end]
  while (high - low > hour) {
    const middle = Math.floor((low + high) / 2)
    const { value: newest = [] } = await client.pages(rangeOf(type, low, middle), '1').next()
    if (newest.length > 0) high = middle
    else low = middle + 1
  }
  return low
}
