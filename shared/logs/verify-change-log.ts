import { createHash } from 'node:crypto'
import { commitRecords } from '../commit/commit-record.ts'
import { clock, parseTimestamp, timestamp } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { readAccountId } from '../core/event-account.ts'
import { fieldsOf } from '../core/json/is-object.ts'
import { sortedJson } from '../core/json/json.ts'
import type { Item } from '../table/keys.ts'
import { checkExistence } from '../table/read.ts'
import { rejectUnknownAccount } from '../table/reject-unknown-account.ts'
import { lastLogMicros, logId, positionTail } from './entries/log-id.ts'
import { retentionMicros } from './entries/log-keys.ts'
import { pointerItems, readEntry } from './entries/log-store.ts'
import type { LogItem } from './part-reader.ts'
import { walkLogs } from './walk-logs.ts'

/** Difference between the change log and the commit records. */
export type Damage = {
  /**
   * `missing`: a change has no entry. `doubled`: a change has a second entry. `reordered`: the log id of an entry differs from that of its
   * change. `altered`: the content of an entry differs from its commit. `unfounded`: no commit created the entry. `gap`: a commit record is
   * missing, so its entries cannot be checked. `unlisted`: a pointer to the entry is missing.
   */
  problem: 'missing' | 'doubled' | 'reordered' | 'altered' | 'unfounded' | 'gap' | 'unlisted'
  log_id: string
  /** Correct log id for a `reordered` entry, or the original's log id for a `doubled` entry. */
  of?: string
}

export type Verification = {
  begin: string
  end: string
  commits: number
  entries: number
  damages: Damage[]
  /** True if there were more than 1,000 differences and the rest were omitted. */
  truncated: boolean
}

const maxDamages = 1_000
const pointersPerCheck = 100
/** Minimum age of checked entries in microseconds. An entry is stored within seconds of its commit. */
const settlingMicros = 60_000_000

function parseInstant(value: unknown, name: string): number | null {
  if (value === undefined) return null
  const micros = typeof value === 'string' ? parseTimestamp(value) : null
  if (micros === null) throw new ApiError('bad_request', `${name} must be an RFC 3339 timestamp.`)
  return micros
}

function readRange(event: unknown): { begin: number; end: number } {
  const { begin, end } = fieldsOf(event)
  const now = clock.now()
  const from = Math.max(parseInstant(begin, 'begin') ?? 0, now - retentionMicros('change'))
  const to = Math.min(parseInstant(end, 'end') ?? now - settlingMicros, lastLogMicros)
  if (from > to) throw new ApiError('bad_request', 'begin must not be after end.')
  return { begin: from, end: to }
}

/** Digest of the content of a stored entry. An entry that cannot be read has no content, and therefore differs from every commit. */
function digestEntry(item: LogItem): string {
  try {
    return digestContent(readEntry(item))
  } catch {
    return `unreadable ${item.sk}`
  }
}

/** Digest of an entry's content without the log id, so that an entry with a wrong log id is recognized. */
function digestContent({ object, operation, before, after, subject, run_id = null }: Record<string, unknown>): string {
  const text = sortedJson([object, operation, before, after, subject, run_id])
  return createHash('sha256').update(text).digest('base64').slice(0, 24)
}

type Expected = { id: string; content: string; pointers: Item[] } | { gap: string }

async function* expectedEntries(account: string, begin: number, end: number): AsyncGenerator<Expected> {
  let sequence: number | undefined
  for await (const { sequence: found, time, changes, subject, run_id } of commitRecords(account, begin, end)) {
    if (sequence !== undefined && found !== sequence + 1) yield { gap: logId('change', time, positionTail(0)) }
    sequence = found
    for (const [position, change] of changes.entries()) {
      const id = logId('change', time, positionTail(position))
      const pointers = pointerItems(account, 'change', { id, ttl: 0 }, { ...change, subject })
      yield { id, content: digestContent({ ...change, subject, run_id }), pointers }
    }
  }
}

/**
 * Compares every change log entry in a time range with its commit record. Streams entries and records, so that only digests stay in memory.
 * @throws ApiError `bad_request` for an invalid account or time in the event, and for an unknown account
 */
export async function verifyChangeLog(event: unknown): Promise<Verification> {
  const account = readAccountId(event)
  const { begin, end } = readRange(event)
  const damages: Damage[] = []
  const idByContent = new Map<string, string>()
  const missing = new Map<string, string>()
  const unexpected: { id: string; content: string; altered: boolean }[] = []
  let entries = 0
  const commits = new Set<string>()
  const unlisted = new Set<string>()
  let pointers: Item[] = []
  const checkPointers = async () => {
    const exist = await checkExistence(pointers)
    for (const [i, { sk }] of pointers.entries()) {
      if (!exist[i] && unlisted.size <= maxDamages) unlisted.add(sk)
    }
    pointers = []
  }

  const actual = walkLogs({ account, begin, end, streams: ['change'], ascending: true })
  let entry = await actual.next()
  const skipUntil = async (id: string | null) => {
    for (; !entry.done && (id === null || entry.value.sk < id); entry = await actual.next()) {
      entries++
      unexpected.push({ id: entry.value.sk, content: digestEntry(entry.value), altered: false })
    }
  }
  for await (const expected of expectedEntries(account, begin, end)) {
    if ('gap' in expected) {
      damages.push({ problem: 'gap', log_id: expected.gap })
      continue
    }
    const { id } = expected
    commits.add(id.slice(1, 14))
    idByContent.set(expected.content, id)
    await skipUntil(id)
    const content = !entry.done && entry.value.sk === id ? digestEntry(entry.value) : null
    if (content !== expected.content) missing.set(expected.content, id)
    if (content === null) continue
    if (content !== expected.content) unexpected.push({ id, content, altered: true })
    pointers.push(...expected.pointers)
    if (pointers.length >= pointersPerCheck) await checkPointers()
    entries++
    entry = await actual.next()
  }
  await skipUntil(null)
  await checkPointers()

  if (commits.size === 0 && entries === 0) await rejectUnknownAccount(account)
  for (const { id, content, altered } of unexpected) {
    const of = idByContent.get(content)
    if (of === undefined) damages.push({ problem: altered ? 'altered' : 'unfounded', log_id: id })
    else damages.push({ problem: missing.delete(content) ? 'reordered' : 'doubled', log_id: id, of })
  }
  const altered = new Set(damages.filter(({ problem }) => problem === 'altered').map(({ log_id }) => log_id))
  for (const id of missing.values()) if (!altered.has(id)) damages.push({ problem: 'missing', log_id: id })
  damages.sort((a, b) => (a.log_id < b.log_id ? -1 : 1))
  // Appends missing pointers after all other differences, so that truncation omits missing pointers first.
  for (const log_id of unlisted) damages.push({ problem: 'unlisted', log_id })
  return {
    begin: timestamp(begin),
    end: timestamp(end),
    commits: commits.size,
    entries,
    damages: damages.slice(0, maxDamages),
    truncated: damages.length > maxDamages,
  }
}
