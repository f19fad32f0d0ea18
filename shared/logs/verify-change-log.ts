import { createHash } from 'node:crypto'
import { askedAccount } from '../core/asked-account.ts'
import { clock, parseTimestamp, timestamp } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { fieldsOf } from '../core/json/is-object.ts'
import { sortedJson } from '../core/json/sorted-json.ts'
import type { Item } from '../table/keys.ts'
import { unpackLarge } from '../table/large-attributes.ts'
import { rejectUnknownAccount } from '../table/reject-unknown-account.ts'
import { commitRecords } from './commit-records.ts'
import { lastLogMicros, logId, positionTail } from './log-id.ts'
import { retentionMicros } from './log-keys.ts'
import { pointerItems } from './log-store.ts'
import { missingPointers } from './missing-pointers.ts'
import { walkLogs } from './walk-logs.ts'

/** A fault of one entry of the change log. */
export type Damage = {
  /**
   * `missing`: a change without its entry. `doubled`: the entry of a change that has its own already. `reordered`: the
   * entry of a change at another place. `altered`: an entry that says something else than the commit. `unfounded`: an
   * entry of no commit. `gap`: a commit record is missing, so nothing can be said of its entries. `unlisted`: an entry
   * that is as it should be, but not found by its object, actor or email.
   */
  problem: 'missing' | 'doubled' | 'reordered' | 'altered' | 'unfounded' | 'gap' | 'unlisted'
  log_id: string
  /** The place of a reordered entry, or the entry that a doubled one is a copy of. */
  of?: string
}

export type Verification = {
  begin: string
  end: string
  commits: number
  entries: number
  damages: Damage[]
  /** There are more damages than those listed. */
  truncated: boolean
}

type Range = { account: string; begin: number; end: number }

const listedDamages = 1_000
/** Pointers that are looked for together. */
const perLook = 100
/** An entry follows its commit within seconds; the latest ones are not judged. */
const settlingMicros = 60_000_000

function instant(value: unknown, name: string): number | null {
  if (value === undefined) return null
  const micros = typeof value === 'string' ? parseTimestamp(value) : null
  if (micros === null) throw new ApiError('bad_request', `${name} must be an RFC 3339 timestamp.`)
  return micros
}

function readRange(event: unknown): Range {
  const account = askedAccount(event)
  const { begin, end } = fieldsOf(event)
  const now = clock.now()
  // Entries past their retention may be gone.
  const from = Math.max(instant(begin, 'begin') ?? 0, now - retentionMicros('change'))
  const to = Math.min(instant(end, 'end') ?? now - settlingMicros, lastLogMicros)
  if (from > to) throw new ApiError('bad_request', 'begin must not be after end.')
  return { account, begin: from, end: to }
}

/** A digest of what an entry says, wherever it stands. */
function contentOf({ object, operation, before, after, subject, run_id = null }: Record<string, unknown>): string {
  const text = sortedJson([object, operation, before, after, subject, run_id])
  return createHash('sha256').update(text).digest('base64').slice(0, 24)
}

type Expected = { id: string; content: string; pointers: Item[] } | { gap: string }

async function* expectedEntries({ account, begin, end }: Range): AsyncGenerator<Expected> {
  let sequence: number | undefined
  for await (const { sequence: found, time, changes, subject, run_id } of commitRecords(account, begin, end)) {
    if (sequence !== undefined && found !== sequence + 1) yield { gap: logId('change', time, positionTail(0)) }
    sequence = found
    for (const [position, change] of changes.entries()) {
      const id = logId('change', time, positionTail(position))
      const pointers = pointerItems(account, 'change', { id, ttl: 0 }, { ...change, subject })
      yield { id, content: contentOf({ ...change, subject, run_id }), pointers }
    }
  }
}

/** Finds entries that pointers lack, many at a time. */
class PointerCheck {
  /** As many as can be listed, and one more. */
  readonly unlisted = new Set<string>()
  private pointers: Item[] = []

  async add(pointers: Item[]): Promise<void> {
    this.pointers.push(...pointers)
    if (this.pointers.length >= perLook) await this.look()
  }

  async look(): Promise<void> {
    const missing = await missingPointers(this.pointers)
    for (const { sk } of missing) if (this.unlisted.size <= listedDamages) this.unlisted.add(sk)
    this.pointers = []
  }
}

/**
 * Reads the commit records of a time range again and reports every entry of the change log that is missing, doubled or
 * not in its place, or that lacks what leads to it. Both are read in order, side by side: only digests of what the commits
 * say are held.
 * @throws ApiError `bad_request` for an event that names no account or no time, and for an account that is not there
 */
export async function verifyChangeLog(event: unknown): Promise<Verification> {
  const range = readRange(event)
  const damages: Damage[] = []
  const places = new Map<string, string>()
  const missing = new Map<string, string>()
  const strange: { id: string; content: string; altered: boolean }[] = []
  let entries = 0
  const commits = new Set<string>()
  const check = new PointerCheck()

  const actual = walkLogs({ ...range, streams: ['change'], ascending: true })
  let entry = await actual.next()
  const skipUntil = async (id: string | null) => {
    for (; !entry.done && (id === null || entry.value.sk < id); entry = await actual.next()) {
      entries++
      strange.push({ id: entry.value.sk, content: contentOf(unpackLarge(entry.value)), altered: false })
    }
  }
  for await (const expected of expectedEntries(range)) {
    if ('gap' in expected) {
      damages.push({ problem: 'gap', log_id: expected.gap })
      continue
    }
    commits.add(expected.id.slice(1, 14))
    places.set(expected.content, expected.id)
    await skipUntil(expected.id)
    if (entry.done || entry.value.sk !== expected.id) {
      missing.set(expected.content, expected.id)
      continue
    }
    const content = contentOf(unpackLarge(entry.value))
    if (content !== expected.content) {
      missing.set(expected.content, expected.id)
      strange.push({ id: expected.id, content, altered: true })
    }
    await check.add(expected.pointers)
    entries++
    entry = await actual.next()
  }
  await skipUntil(null)
  await check.look()

  if (commits.size === 0 && entries === 0) await rejectUnknownAccount(range.account)
  for (const { id, content, altered } of strange) {
    const of = places.get(content)
    if (of === undefined) damages.push({ problem: altered ? 'altered' : 'unfounded', log_id: id })
    else damages.push({ problem: missing.delete(content) ? 'reordered' : 'doubled', log_id: id, of })
  }
  const altered = new Set(damages.filter(({ problem }) => problem === 'altered').map(({ log_id }) => log_id))
  for (const id of missing.values()) if (!altered.has(id)) damages.push({ problem: 'missing', log_id: id })
  damages.sort((a, b) => (a.log_id < b.log_id ? -1 : 1))
  // Behind what is wrong with entries: before a first `index-change-log` it can be all of them.
  for (const log_id of check.unlisted) damages.push({ problem: 'unlisted', log_id })
  return {
    begin: timestamp(range.begin),
    end: timestamp(range.end),
    commits: commits.size,
    entries,
    damages: damages.slice(0, listedDamages),
    truncated: damages.length > listedDamages,
  }
}
