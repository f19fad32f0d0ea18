import { appendFileSync, existsSync, truncateSync, writeFileSync } from 'node:fs'
import { parseTimestamp, timestamp } from '#shared/core/clock.ts'
import { parseCheckpoint } from '#shared/seal/checkpoint.ts'
import { type ExportSeal, markBytes } from '#shared/seal/export-seal.ts'
import type { SealedHour } from '#shared/seal/hour-leaf.ts'
import { hashBytes } from '#shared/seal/merkle-hash.ts'
import { lastLine, linesUntil, readSeal } from '#shared/seal/read-export.ts'
import { parseNote } from '#shared/seal/signed-note.ts'
import { Fault } from '../fault.ts'
import type { LogClient } from './log-client.ts'

export type ExportType = ExportSeal['stream']

type Entry = { log_id: string; timestamp: string }
type Page = { data: Entry[]; metadata: { next_page: string | null } }
type Proof = {
  leaf_index: number
  path: string[]
  hour?: { hour: string; stream: ExportType; index: number; path: string[] }
}
type Checkpoint = {
  size: number
  note: string | null
  verifier_key: string
  signed_at: string | null
  follows: { note: string; origin: string; shared: number } | null
}

export type ExportOptions = {
  type: ExportType
  begin: string
  end: string
  out: string
  /** A note, or an export: what the newer log is to be shown to extend. */
  against?: string
  /** How much of the time range is written, from 0 to 1, and how many entries. */
  progress?: (part: number, entries: number) => void
}

const limit = '100'
/** A slice of time is made shorter above so many entries, and longer below a quarter. */
const perSlice = 2_000
const hour = 3_600_000_000
const mostLeaves = 10_000

/** Writes an export (S5.1); one that broke off is gone on with. Answers how many entries it has; the seal tells of as many as were sealed. */
export async function exportLog(client: LogClient, options: ExportOptions): Promise<number> {
  const { type, out } = options
  const log = type === 'change' ? 'changes' : 'activity'
  const checkpoint = (await client.get<{ data: Checkpoint }>(`/logs/checkpoints/${log}`)).data
  const { note, size, signed_at, follows } = checkpoint
  if (note === null || signed_at === null)
    throw new Fault('Nothing of this log is sealed yet. Try again in five minutes.')
  const last = await lastCovered(client, options, size)
  const known = await resumed(out)
  if (last) await writeEntries(client, options, last.entry, known)
  const seal: ExportSeal = {
    type: 'seal',
    version: 1,
    log,
    stream: type,
    note,
    verifier_key: checkpoint.verifier_key,
    ...(await proofs(client, out, size, last, known)),
    ...(follows && { follows: { note: follows.note } }),
    ...(await extension(client, log, checkpoint, options.against)),
  }
  appendFileSync(out, `${JSON.stringify(seal)}\n`)
  return known.entries
}

type Covered = { entry: Entry; proof: Proof }

const proofOf = async (client: LogClient, id: string, size: number): Promise<Proof | null> => {
  const { status, body } = await client.ask(`/logs/${id}/proof`, { size: String(size) })
  if (status === 200) return body.data
  if (status === 409 || status === 400) return null
  throw new Fault(`GET /logs/${id}/proof answers ${status}: ${body.detail ?? ''}`)
}

/** The newest entry of the range that the checkpoint covers. */
async function lastCovered(client: LogClient, options: ExportOptions, size: number): Promise<Covered | null> {
  const query = { type: options.type, begin: options.begin, end: options.end, limit, total_limit: '0' }
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page = await client.get('/logs', { ...query, ...(cursor && { page_cursor: cursor }) })
    // Newest first: behind the first that is covered all are.
    let [low, high] = [0, page.data.length]
    let found: Covered | null = null
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const entry = page.data[middle] as Entry
      const proof = await proofOf(client, entry.log_id, size)
      if (proof) found = { entry, proof }
      if (proof) high = middle
      else low = middle + 1
    }
    if (found) return found
    cursor = page.metadata.next_page
  }
  return null
}

type Known = { first: Entry | null; last: Entry | null; entries: number }

/** What a broken export has already; what is not a whole line of it goes. @throws Fault for one that is whole */
async function resumed(out: string): Promise<Known> {
  const known: Known = { first: null, last: null, entries: 0 }
  if (!existsSync(out)) {
    writeFileSync(out, '', { mode: 0o600 })
    return known
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
    known.first ??= entry
    known.last = entry
    known.entries++
  }
  if (end > 0 && end === size && !endsLine(out)) appendFileSync(out, '\n')
  return known
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

/** The entries of a slice of time, oldest first; null where there are too many to hold. */
async function slice(client: LogClient, type: ExportType, begin: number, end: number): Promise<Entry[] | null> {
  const entries: Entry[] = []
  const query = { type, begin: timestamp(begin), end: timestamp(end), limit, total_limit: '0' }
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page = await client.get('/logs', { ...query, ...(cursor && { page_cursor: cursor }) })
    entries.push(...page.data)
    cursor = page.metadata.next_page
    if (cursor !== null && entries.length > 5 * perSlice && end > begin) return null
  }
  return entries.reverse()
}

/** Appends the entries up to the last one that is covered, in their order. */
async function writeEntries(client: LogClient, options: ExportOptions, last: Entry, known: Known): Promise<void> {
  const micros = (text: string): number => {
    const found = parseTimestamp(text)
    if (found === null) throw new Fault(`${text} is no RFC 3339 timestamp.`)
    return found
  }
  const [start, end] = [micros(options.begin), micros(last.timestamp)]
  let at = known.last ? micros(known.last.timestamp) : await firstInstant(client, options, start, end)
  const from = at
  for (let width = hour; at <= end; ) {
    const until = Math.min(end, at + width - 1)
    const entries = await slice(client, options.type, at, until)
    if (!entries) {
      width = Math.max(1, Math.floor(width / 4))
      continue
    }
    const fresh = entries.filter(
      ({ log_id }) => log_id <= last.log_id && (known.last === null || log_id > known.last.log_id),
    )
    if (fresh.length > 0) {
      appendFileSync(options.out, fresh.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
      known.first ??= fresh[0] ?? null
      known.last = fresh.at(-1) ?? known.last
      known.entries += fresh.length
    }
    at = until + 1
    if (entries.length < perSlice / 4) width = Math.min(width * 2, 720 * hour)
    if (entries.length > perSlice) width = Math.max(1, Math.floor(width / 2))
    options.progress?.((at - from) / Math.max(1, end - from), known.entries)
  }
}

/** Where the entries begin: a long time without any is passed in few steps. */
async function firstInstant(client: LogClient, { type }: ExportOptions, start: number, end: number): Promise<number> {
  let [low, high] = [start, end]
  while (high - low > hour) {
    const middle = Math.floor((low + high) / 2)
    const query = { type, begin: timestamp(low), end: timestamp(middle), limit: '1', total_limit: '0' }
    const { data } = await client.get<Page>('/logs', query)
    if (data.length > 0) high = middle
    else low = middle + 1
  }
  return low
}

type Leaves = { hashes: string; hours?: SealedHour[] }

/** The first bytes of the hashes of leaves, and of the activity log the hours. */
async function leaves(client: LogClient, path: string, from: number, to: number, more: Record<string, string> = {}) {
  const marks: Buffer[] = []
  const hours: SealedHour[] = []
  for (let at = from; at < to; at += mostLeaves) {
    const query = { from: String(at), to: String(Math.min(to, at + mostLeaves)), ...more }
    const { data } = await client.get<{ data: Leaves }>(path, query)
    const hashes = Buffer.from(data.hashes, 'base64')
    for (let i = 0; i < hashes.length; i += hashBytes) marks.push(hashes.subarray(i, i + markBytes))
    hours.push(...(data.hours ?? []))
  }
  return { marks: Buffer.concat(marks), hours }
}

type Proofs = Pick<ExportSeal, 'entries' | 'first' | 'last' | 'leaves' | 'hours' | 'begin' | 'end'>

async function proofs(
  client: LogClient,
  out: string,
  size: number,
  last: Covered | null,
  known: Known,
): Promise<Proofs> {
  if (!last || !known.first) return { entries: 0, first: null, last: null, leaves: '' }
  const first = await proofOf(client, known.first.log_id, size)
  if (!first) throw new Fault(`The first entry of ${out} is not covered by the checkpoint.`)
  const placed = ({ leaf_index, path }: Proof) => ({ leaf_index, path })
  const ends = { first: placed(first), last: placed(last.proof) }
  if (!first.hour || !last.proof.hour) {
    const { marks } = await leaves(
      client,
      '/logs/checkpoints/changes/leaves',
      first.leaf_index,
      last.proof.leaf_index + 1,
    )
    return { entries: marks.length / markBytes, ...ends, leaves: marks.toString('base64') }
  }
  const path = '/logs/checkpoints/activity/leaves'
  const { hours } = await leaves(client, path, first.leaf_index, last.proof.leaf_index + 1)
  const own = hours.filter(({ stream }) => stream === first.hour?.stream)
  const marks: Buffer[] = []
  for (const [i, { hour: begin, stream, size: count }] of own.entries()) {
    const from = i === 0 ? first.hour.index : 0
    const to = i === own.length - 1 ? last.proof.hour.index + 1 : count
    marks.push((await leaves(client, path, from, to, { hour: begin, stream })).marks)
  }
  const inHour = ({ index, path: within }: { index: number; path: string[] }) => ({ leaf_index: index, path: within })
  const all = Buffer.concat(marks)
  return {
    entries: all.length / markBytes,
    ...ends,
    hours,
    begin: inHour(first.hour),
    end: inHour(last.proof.hour),
    leaves: all.toString('base64'),
  }
}

/** The proof that this checkpoint extends the one of another export or note. */
async function extension(client: LogClient, log: string, checkpoint: Checkpoint, against: string | undefined) {
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
