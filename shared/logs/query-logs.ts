import { clock, parseTimestamp } from '../core/clock.ts'
import { ApiError, notFound } from '../core/errors.ts'
import { decodeCursor, encodeCursor } from '../core/pagination.ts'
import type { AccountRow } from '../domain/accounts/account.ts'
import type { Metadata } from '../table/list.ts'
import { getItems, queryItems } from '../table/read.ts'
import { emailActorsPartition } from './flows/flow-index.ts'
import type { LogEntry } from './log-entry.ts'
import { instantOf, type LogStream, logStreams } from './log-id.ts'
import { logKeys, retentionMicros } from './log-keys.ts'
import { defaultWindow, type LogQuery, readLogQuery } from './log-query.ts'
import { type Match, matcher, type Window, withinRetention } from './match-entries.ts'
import type { LogItem } from './part-reader.ts'
import { attributionReader, renderEntries } from './render-entries.ts'
import { batchSizeOf, type Walk, walkLogs } from './walk-logs.ts'

const countedAtMost = 10_000
const mostFlowActors = 50

/**
 * What a cursor holds: the entry it stands at, for a flow with its ingest, and what the first page found out. Without
 * an entry it stands at the end of the list, for the page beside one that came out empty. Earlier cursors had neither
 * total nor ingest.
 */
type Position = { id?: string; at?: number; backward: boolean; begin: number; end: number; total?: number }

/** What a cursor belongs to. */
export function bindingOf(account: string, { cursor: _cursor, limit: _limit, ...filters }: LogQuery): string {
  return `${account}/logs?${JSON.stringify(filters)}`
}

/** `GET /logs` (L2): a page of the merged streams, newest first. */
export async function listLogs(
  account: AccountRow,
  search: URLSearchParams,
): Promise<{ data: LogEntry[]; metadata: Metadata }> {
  const now = clock.now()
  const query = readLogQuery(search, now)
  const binding = bindingOf(account.id, query)
  const position = query.cursor === null ? null : ((await decodeCursor(binding, query.cursor)) as Position)
  const window = {
    begin: position?.begin ?? query.begin ?? now - defaultWindow,
    end: position?.end ?? query.end ?? now,
  }
  const walk = await walkOf(account, query, window)
  const attributions = attributionReader(account.id)
  const match = matcher(query, window, now, attributions)

  const backward = position?.backward ?? false
  const [found, behind, total] = await Promise.all([
    take({ ...walk, from: position?.id, ascending: backward, expected: query.limit + 1 }, match),
    position ? anyFrom(position, walk, match, now) : false,
    position?.total ?? count(walk, match),
  ])
  const kept = found.slice(0, query.limit)
  if (backward) kept.reverse()
  const more = found.length > query.limit
  const cursor = (item: LogItem | undefined, back: boolean, wanted: boolean) =>
    wanted
      ? encodeCursor(binding, {
          ...window,
          id: item?.sk,
          at: item?.at as number | undefined,
          backward: back,
          total,
        } satisfies Position)
      : null
  const [data, next_page, prev_page] = await Promise.all([
    renderEntries(kept, attributions),
    cursor(kept.at(-1), false, backward ? behind : more),
    cursor(kept[0], true, backward ? more : behind),
  ])
  return { data, metadata: { limit: query.limit, next_page, prev_page, total, count: total } }
}

/** Nothing but flows is older than its account, and nothing is kept beyond its retention: neither is walked. */
async function walkOf(account: AccountRow, query: LogQuery, window: Window): Promise<Walk> {
  const { type, actorId, actorEmail } = query
  const streams: LogStream[] = type
    ? [type]
    : logStreams.filter((stream) => actorEmail === null || stream !== 'api_request')
  const oldest = Math.max(parseTimestamp(account.inserted_at) ?? 0, clock.now() - retentionMicros('change'))
  const id = account.id
  if (actorId !== null) {
    const named = { field: 'actor', value: actorId, alone: actorEmail === null } as const
    return { account: id, streams, ...window, oldest, named, flowActors: [actorId] }
  }
  if (actorEmail === null) return { account: id, streams, ...window, oldest }
  const actors = streams.includes('flow') ? await queryItems(emailActorsPartition(id, actorEmail)) : []
  return {
    account: id,
    streams: actors.length > 0 ? streams : streams.filter((stream) => stream !== 'flow'),
    ...window,
    oldest,
    named: { field: 'email', value: actorEmail, alone: true },
    // More than a condition takes; then each flow is looked at.
    flowActors: actors.length > mostFlowActors ? null : actors.map(({ sk }) => String(sk)),
  }
}

async function* matching(walk: Walk, match: Match): AsyncGenerator<LogItem> {
  const size = batchSizeOf(walk)
  let batch: LogItem[] = []
  for await (const item of walkLogs(walk)) {
    batch.push(item)
    if (batch.length < size) continue
    yield* await match(batch)
    batch = []
  }
  yield* await match(batch)
}

/** The first entries that match, in the direction of the walk. */
async function take(walk: Walk & { expected: number }, match: Match): Promise<LogItem[]> {
  const items: LogItem[] = []
  for await (const item of matching(walk, match)) {
    items.push(item)
    if (items.length === walk.expected) break
  }
  return items
}

/** Whether an entry lies on the other side of the position, the one at it included while that is kept. */
async function anyFrom({ id, at, backward }: Position, walk: Walk, match: Match, now: number): Promise<boolean> {
  if (id === undefined) return false
  if (withinRetention(now)({ sk: id, at: at ?? instantOf(id) })) return true
  const beyond = await take({ ...walk, from: id, ascending: !backward, expected: 1 }, match)
  return beyond.length > 0
}

/** How many entries match, of which there may be more than are counted. Asked for by the first page alone. */
async function count(walk: Walk, match: Match): Promise<number> {
  let total = 0
  for await (const _item of matching({ ...walk, counting: true, expected: countedAtMost }, match))
    if (++total === countedAtMost) break
  return total
}

/** `GET /logs/{log_id}` (L3). */
export async function getLog(account: string, id: string): Promise<{ data: LogEntry }> {
  if (id.length !== 24) throw new ApiError('invalid_log_query', 'log_id must be a 24-character hexadecimal string.')
  const kept = withinRetention(clock.now())
  const items = await getItems(logKeys(account, id))
  const item = items.find((found) => found !== undefined && kept(found as LogItem))
  if (!item) throw notFound()
  const [entry] = await renderEntries([item], attributionReader(account))
  return { data: entry as LogEntry }
}
