import type { AccountRow } from '../accounts/account.ts'
import { clock, parseTimestamp } from '../clock.ts'
import { ApiError, notFound } from '../errors.ts'
import type { Attribution } from '../flows/attribution.ts'
import { decodeCursor, encodeCursor } from '../pagination.ts'
import type { Metadata } from '../table/list.ts'
import { getItems } from '../table/read.ts'
import type { LogEntry } from './log-entry.ts'
import { type LogStream, logStreams, parseLogId } from './log-id.ts'
import { logKeys, retentionMicros } from './log-keys.ts'
import { type LogQuery, readLogQuery } from './log-query.ts'
import { attributionsOf, renderEntries } from './render-entries.ts'
import { type LogItem, type Walk, walkLogs } from './walk-logs.ts'

const defaultWindow = 90 * 86_400_000_000
const countedAtMost = 10_000

type Position = { id: string; backward: boolean; begin: number; end: number }

/** `GET /logs` (L2): a page of the merged streams, newest first. */
export async function listLogs(
  account: AccountRow,
  search: URLSearchParams,
): Promise<{ data: LogEntry[]; metadata: Metadata }> {
  const query = readLogQuery(search)
  const { cursor: _cursor, limit: _limit, ...filters } = query
  const binding = `${account.id}/logs?${JSON.stringify(filters)}`
  const position = query.cursor === null ? null : ((await decodeCursor(binding, query.cursor)) as Position)
  const now = clock.now()
  const window = {
    begin: position?.begin ?? query.begin ?? (query.end ?? now) - defaultWindow,
    end: position?.end ?? query.end ?? now,
  }
  if (window.begin > window.end) throw new ApiError('invalid_log_query', 'begin must not be after end.')
  const walk = walkOf(account, query, window)
  const match = matcher(account.id, query, window, now)

  const backward = position?.backward ?? false
  const [found, behind, total] = await Promise.all([
    take({ ...walk, from: position?.id, ascending: backward }, match, query.limit + 1),
    position ? take({ ...walk, from: position.id, ascending: !backward }, match, 1) : [],
    count(walk, match),
  ])
  const kept = found.slice(0, query.limit)
  if (backward) kept.reverse()
  const more = found.length > query.limit
  // The row at the position itself lies on the other side of it.
  const around = behind.length > 0 || position !== null
  const cursor = (item: LogItem | undefined, back: boolean, wanted: boolean) =>
    wanted && item ? encodeCursor(binding, { ...window, id: item.sk, backward: back } satisfies Position) : null
  const [data, next_page, prev_page] = await Promise.all([
    renderEntries(account.id, kept),
    cursor(kept.at(-1), false, backward ? around : more),
    cursor(kept[0], true, backward ? more : around),
  ])
  return { data, metadata: { limit: query.limit, next_page, prev_page, total, count: total } }
}

/** Nothing but flows is older than its account, and nothing is kept beyond its retention: neither is walked. */
function walkOf(
  account: AccountRow,
  { type, actorId, actorEmail }: LogQuery,
  window: { begin: number; end: number },
): Walk {
  const streams: LogStream[] = type
    ? [type]
    : logStreams.filter((stream) => actorEmail === null || stream !== 'api_request')
  const oldest = Math.max(parseTimestamp(account.inserted_at) ?? 0, clock.now() - retentionMicros('change'))
  return {
    account: account.id,
    streams,
    begin: Math.max(window.begin, oldest),
    end: Math.min(window.end, 2 ** 52 - 1),
    actorId,
  }
}

type Match = (items: LogItem[]) => Promise<LogItem[]>

/** Retention (L1), overlap of flows with the window (L2.4), and the actor filters against each entry's snapshot (L2.6). */
function matcher(
  account: string,
  { actorId, actorEmail }: LogQuery,
  { begin, end }: { begin: number; end: number },
  now: number,
): Match {
  const attributions = new Map<string, Attribution>()
  const matches = (item: LogItem): boolean => {
    if (Number(item.ttl) * 1_000_000 <= now) return false
    const { stream, micros } = parseLogId(item.sk) as { stream: LogStream; micros: number }
    const subject = item.subject as { actor_id?: string; actor_email?: string } | null
    const actor = {
      flow: () => ({ id: item.actor, email: attributions.get(String(item.auth))?.initiator_actor_email }),
      api_request: () => ({ id: item.actor_id, email: undefined }),
      change: () => ({ id: subject?.actor_id, email: subject?.actor_email }),
      session: () => ({ id: subject?.actor_id, email: subject?.actor_email }),
    }[stream]()
    if (actorId !== null && actor.id !== actorId) return false
    if (actorEmail !== null && actor.email !== actorEmail) return false
    return stream !== 'flow' || overlaps(micros, item.fend as number | undefined, begin, end)
  }
  return async (items) => {
    if (actorEmail !== null) {
      const unknown = items.filter((item) => !attributions.has(String(item.auth)))
      for (const [id, attribution] of await attributionsOf(account, unknown)) attributions.set(id, attribution)
    }
    return items.filter(matches)
  }
}

/** Whether `[start, flowEnd)` meets `[begin, end]`; an open flow has no end, one that ends before its start is an instant. */
export function overlaps(start: number, flowEnd: number | undefined, begin: number, end: number): boolean {
  if (start > end) return false
  if (flowEnd === undefined) return true
  return flowEnd <= start ? start >= begin : flowEnd > begin
}

async function* matching(walk: Walk, match: Match): AsyncGenerator<LogItem> {
  let batch: LogItem[] = []
  for await (const item of walkLogs(walk)) {
    batch.push(item)
    if (batch.length < 100) continue
    yield* await match(batch)
    batch = []
  }
  yield* await match(batch)
}

async function take(walk: Walk, match: Match, wanted: number): Promise<LogItem[]> {
  const items: LogItem[] = []
  for await (const item of matching(walk, match)) {
    items.push(item)
    if (items.length === wanted) break
  }
  return items
}

async function count(walk: Walk, match: Match): Promise<number> {
  let total = 0
  for await (const _item of matching(walk, match)) if (++total === countedAtMost) break
  return total
}

/** `GET /logs/{log_id}` (L3). */
export async function getLog(account: string, id: string): Promise<{ data: LogEntry }> {
  if (id.length !== 24) throw new ApiError('invalid_log_query', 'log_id must be a 24-character hexadecimal string.')
  const now = clock.now()
  const items = await getItems(logKeys(account, id))
  const [item] = items.filter((found) => found !== undefined && Number(found.ttl) * 1_000_000 > now)
  if (!item) throw notFound()
  const [entry] = await renderEntries(account, [item])
  return { data: entry as LogEntry }
}
