import { clock, parseTimestamp } from '../core/clock.ts'
import { ApiError, notFound } from '../core/errors.ts'
import { takeFitting } from '../core/json/answer-size.ts'
import type { AccountRow } from '../domain/accounts/account.ts'
import { weightOf } from '../table/large-attributes.ts'
import type { Metadata } from '../table/list.ts'
import { getStoredItems, queryItems } from '../table/read.ts'
import { cutEntry } from './cut-entry.ts'
import { emailActorsPartition } from './flows/flow-index.ts'
import { type LogPosition, logCursor, readLogPosition } from './log-cursor.ts'
import type { LogEntry } from './log-entry.ts'
import { instantOf, type LogStream, logStreams } from './log-id.ts'
import { logKeys, retentionMicros } from './log-keys.ts'
import { defaultWindow, type LogQuery, readLogQuery } from './log-query.ts'
import { type Match, matcher, type Window, withinRetention } from './match-entries.ts'
import type { LogItem } from './part-reader.ts'
import { type AttributionReader, attributionReader, renderEntry } from './render-entries.ts'
import { batchSizeOf, type Walk, walkLogs } from './walk-logs.ts'

const mostFlowActors = 50
/** Entries are looked at together up to this size, so that few large ones are read that a page has no room for. */
const maxBatchBytes = 2_000_000

/** `GET /logs` (L2): a page of the merged streams, newest first. */
export async function listLogs(
  account: AccountRow,
  search: URLSearchParams,
): Promise<{ data: LogEntry[]; metadata: Metadata }> {
  const now = clock.now()
  const query = readLogQuery(search, now)
  const position = await readLogPosition(account.id, query)
  const window = {
    begin: position?.begin ?? query.begin ?? now - defaultWindow,
    end: position?.end ?? query.end ?? now,
  }
  const walk = await walkOf(account, query, window)
  const attributions = attributionReader(account.id)
  const match = matcher(query, window, now, attributions)

  const backward = position?.backward ?? false
  const onwards = { ...walk, from: position?.id, ascending: backward, expected: query.limit + 1 }
  const [{ kept, more }, behind, total] = await Promise.all([
    // A page has as much room for an entry as all of it would take, since all of it is read to be cut.
    takeFitting(renderedEntries(onwards, match, attributions), { limit: query.limit, shown: ({ uncut }) => uncut }),
    position ? anyFrom(position, walk, match, now) : false,
    position?.total ?? count(walk, match, query.totalLimit),
  ])
  if (backward) kept.reverse()
  const cursor = (item: LogItem | undefined, back: boolean, wanted: boolean) =>
    wanted
      ? logCursor(account.id, query, {
          ...window,
          id: item?.sk,
          at: item?.at,
          backward: back,
          total,
        })
      : null
  const [next_page, prev_page] = await Promise.all([
    cursor(kept.at(-1)?.item, false, backward ? behind : more),
    cursor(kept[0]?.item, true, backward ? more : behind),
  ])
  return {
    data: kept.map(({ uncut }) => cutEntry(uncut)),
    metadata: { limit: query.limit, next_page, prev_page, total, count: total },
  }
}

/** Nothing but flows is older than its account, and nothing is kept beyond its retention: neither is walked. */
async function walkOf(account: AccountRow, query: LogQuery, window: Window): Promise<Walk> {
  const { type, actorId, actorEmail, objectId } = query
  const streams: LogStream[] = type
    ? [type]
    : logStreams.filter((stream) => actorEmail === null || stream !== 'api_request')
  const oldest = Math.max(parseTimestamp(account.inserted_at) ?? 0, clock.now() - retentionMicros('change'))
  const id = account.id
  if (objectId !== null) {
    const named = { field: 'object', value: objectId, alone: actorId === null && actorEmail === null } as const
    return { account: id, streams: ['change'], ...window, oldest, named }
  }
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
    flowActors: actors.length > mostFlowActors ? null : actors.map(({ sk }) => sk),
  }
}

/** The entries that match, some at a time. */
async function* matching(walk: Walk, match: Match): AsyncGenerator<LogItem[]> {
  const size = batchSizeOf(walk)
  let batch: LogItem[] = []
  let bytes = 0
  for await (const item of walkLogs(walk)) {
    batch.push(item)
    bytes += weightOf(item)
    if (batch.length < size && bytes < maxBatchBytes) continue
    yield await match(batch)
    batch = []
    bytes = 0
  }
  yield await match(batch)
}

type Rendered = { item: LogItem; uncut: LogEntry }

/** The entries that match, unpacked and rendered one by one as they are taken. */
async function* renderedEntries(walk: Walk, match: Match, attributionsOf: AttributionReader): AsyncGenerator<Rendered> {
  for await (const batch of matching(walk, match)) {
    const attributions = await attributionsOf(batch)
    for (const item of batch) yield { item, uncut: renderEntry(item, attributions) }
  }
}

/** Tells if an entry lies on the other side of the position; the one at it counts while it is kept. */
async function anyFrom({ id, at, backward }: LogPosition, walk: Walk, match: Match, now: number): Promise<boolean> {
  if (id === undefined) return false
  if (withinRetention(now)({ sk: id, at: at ?? instantOf(id) })) return true
  const beyond = matching({ ...walk, from: id, ascending: !backward, expected: 1 }, match)
  for await (const batch of beyond) if (batch.length > 0) return true
  return false
}

/** Counts the entries that match, up to a bound. Only the first page asks for it; its cursors carry the number. */
async function count(walk: Walk, match: Match, bound: number): Promise<number> {
  const wanted = { left: bound }
  if (bound === 0) return 0
  for await (const batch of matching({ ...walk, counting: true, expected: bound, wanted }, match)) {
    wanted.left -= batch.length
    if (wanted.left <= 0) return bound
  }
  return bound - wanted.left
}

/** `GET /logs/{log_id}` (L3). */
export async function getLog(account: string, id: string): Promise<{ data: LogEntry }> {
  if (id.length !== 24) throw new ApiError('invalid_log_query', 'log_id must be a 24-character hexadecimal string.')
  const kept = withinRetention(clock.now())
  const items = await getStoredItems<LogItem>(logKeys(account, id))
  const item = items.find((found) => found !== undefined && kept(found))
  if (!item) throw notFound()
  return { data: cutEntry(renderEntry(item, await attributionReader(account)([item]))) }
}
