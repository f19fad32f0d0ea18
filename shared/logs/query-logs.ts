import * as v from 'valibot'
import { clock, parseTimestamp, timestamp } from '../core/clock.ts'
import { ApiError, notFound } from '../core/errors.ts'
import { takeFitting } from '../core/json/response-size.ts'
import { decodeCursor, encodeCursor } from '../core/secrets/cursor.ts'
import type { AccountRow } from '../domain/accounts/account.ts'
import { Metadata } from '../table/list.ts'
import { getItem } from '../table/read.ts'
import { conditionsOf, valueCondition } from './counters/flow-conditions.ts'
import type { LogEntry } from './entries/log-entry.ts'
import { idFrom, idUntil, instantOf, type LogStream, logStreams, parseLogId } from './entries/log-id.ts'
import { logKey, retentionMicros } from './entries/log-keys.ts'
import { actorsWithEmail } from './flows/flow-emails.ts'
import { ReadBudget } from './flows/read-budget.ts'
import { defaultWindow, type LogQuery, readLogQuery } from './log-query.ts'
import { type EntryMatcher, matcher, type Window, withinRetention } from './match-entries.ts'
import type { LogItem, PartWalk } from './part-reader.ts'
import { type AttributionReader, attributionReader, cutEntry, renderEntry } from './render-entries.ts'
import { changeLimits, scanChanges } from './scan-changes.ts'
import { findFlow } from './walk-flows.ts'
import { inBatches, walkLogs } from './walk-logs.ts'

/** `read_until` is present only with filters of flows (R8.5) or changes (K11.G7). */
export const LogMetadata = v.object({ ...Metadata.entries, read_until: v.optional(v.nullable(v.string())) })
type LogMetadata = v.InferOutput<typeof LogMetadata>

/** Limits of a page with filters of flows (R8.5). */
export const filterLimits = { groups: 64, units: 2_000 }

/** Lists a page of the merged streams, newest first (`GET /logs`, L2). */
export async function listLogs(
  account: AccountRow,
  search: URLSearchParams,
): Promise<{ data: LogEntry[]; metadata: LogMetadata }> {
  const now = clock.now()
  const query = readLogQuery(search, now)
  const position = await readLogPosition(account.id, query)
  const window = {
    begin: position?.begin ?? query.begin ?? now - defaultWindow,
    end: position?.end ?? query.end ?? now,
  }
  const budget = query.flowFilters && new ReadBudget(filterLimits)
  const scan = query.changeFilters && { ...changeLimits, stop: null }
  const isFiltered = budget !== undefined || scan !== undefined
  const walk = await planWalk(account, query, window, budget)
  const attributions = attributionReader(account.id)
  const match = matcher(query, now, attributions)

  const backward = position?.backward ?? false
  const expected = query.limit + 1
  const limits = { scan, expected, budget: { left: expected } }
  const pageWalk = { ...walk, ...limits, from: position?.id, ascending: backward }
  const [listed, hasOpposite] = await Promise.all([
    // Measures the page before entries are truncated (L2.7), because the service reads the entries in full.
    takeFitting(renderedEntries(pageWalk, match, attributions), { limit: query.limit, render: ({ uncut }) => uncut }),
    position ? (isFiltered ? position.id !== undefined : hasEntryBeyond(position, walk, match, now)) : false,
  ])
  const { items: rendered, more } = listed
  const total = isFiltered
    ? 0
    : (position?.total ?? (await count(listed, walk, match, query.totalLimit ?? rendered.length)))
  const flowEnd = budget?.end ?? null
  const flowStop = flowEnd === null ? null : backward ? idUntil('flow', flowEnd - 1) : idFrom('flow', flowEnd + 1)
  const end = more ? null : (flowStop ?? scan?.stop ?? null)
  const stop = end === null ? undefined : { sk: end }
  if (backward) rendered.reverse()
  const [first, last] = [rendered[0]?.item, rendered.at(-1)?.item]
  const hasMore = more || stop !== undefined
  const cursor = (item: CursorItem | undefined, back: boolean, isNeeded: boolean) =>
    isNeeded ? logCursor(account.id, query, { ...window, id: item?.sk, at: item?.at, backward: back, total }) : null
  const [next_page, prev_page] = await Promise.all([
    cursor(backward ? (last ?? stop) : (stop ?? last), false, backward ? hasOpposite : hasMore),
    cursor(backward ? (stop ?? first) : (first ?? stop), true, backward ? hasMore : hasOpposite),
  ])
  return {
    data: rendered.map(({ uncut }) => cutEntry(uncut)),
    metadata: {
      limit: query.limit,
      next_page,
      prev_page,
      total,
      count: total,
      ...(isFiltered && { read_until: stop ? timestamp(instantOf(stop.sk)) : null }),
    },
  }
}

type CursorItem = Pick<LogItem, 'sk' | 'at'>

/** Plans the walk for a query. Skips streams that cannot match, and days before the account was created or the retention began. */
async function planWalk(
  account: AccountRow,
  query: LogQuery,
  window: Window,
  budget: ReadBudget | undefined,
): Promise<PartWalk> {
  const { type, actorId, actorEmail, objectId, flowFilters } = query
  const streams: LogStream[] = type
    ? [type]
    : logStreams.filter((stream) => actorEmail === null || stream !== 'api_request')
  const oldest = Math.max(parseTimestamp(account.inserted_at) ?? 0, clock.now() - retentionMicros('change'))
  const conditions = flowFilters ? conditionsOf(flowFilters) : []
  const flowSearch = { conditions, open: flowFilters?.open, budget }
  const walk: PartWalk = { account: account.id, streams, ...window, oldest, flowSearch }
  const ofActors = (actors: string[]) => ({
    ...flowSearch,
    conditions: [...conditions, valueCondition(actors, 'actor')],
  })
  if (objectId !== null) {
    const isOnlyCondition = actorId === null && actorEmail === null
    return { ...walk, streams: ['change'], pointerFilter: { field: 'object', value: objectId, isOnlyCondition } }
  }
  if (actorId !== null) {
    const pointerFilter = { field: 'actor', value: actorId, isOnlyCondition: actorEmail === null } as const
    return { ...walk, pointerFilter, flowSearch: ofActors([actorId]) }
  }
  if (actorEmail === null) return walk
  const actors = streams.includes('flow') ? await actorsWithEmail(account.id, actorEmail) : []
  return {
    ...walk,
    streams: actors.length > 0 ? streams : streams.filter((stream) => stream !== 'flow'),
    pointerFilter: { field: 'email', value: actorEmail, isOnlyCondition: true },
    flowSearch: ofActors(actors),
  }
}

async function* matchingBatches(walk: PartWalk, match: EntryMatcher): AsyncGenerator<LogItem[]> {
  const batches = walk.scan ? scanChanges(walk, walk.scan) : inBatches(walkLogs(walk), walk)
  for await (const batch of batches) {
    const matching = await match(batch)
    if (walk.budget) walk.budget.left -= matching.length
    yield matching
  }
}

type Rendered = { item: LogItem; uncut: LogEntry }

async function* renderedEntries(
  walk: PartWalk,
  match: EntryMatcher,
  attributionsOf: AttributionReader,
): AsyncGenerator<Rendered> {
  for await (const batch of matchingBatches(walk, match)) {
    const attributions = await attributionsOf(batch)
    for (const item of batch) yield { item, uncut: renderEntry(item, attributions) }
  }
}

/** True if the page needs a link in the opposite direction: the cursor's entry has not expired, or an entry beyond the cursor matches. */
async function hasEntryBeyond(
  { id, at, backward }: LogPosition,
  walk: PartWalk,
  match: EntryMatcher,
  now: number,
): Promise<boolean> {
  if (id === undefined) return false
  if (withinRetention(now)({ sk: id, at: at ?? instantOf(id) })) return true
  const beyond = matchingBatches({ ...walk, from: id, ascending: !backward, expected: 1 }, match)
  for await (const batch of beyond) if (batch.length > 0) return true
  return false
}

/**
 * Counts matching entries up to `bound`, beginning with those of the first page, whose cursors carry the total to later pages. Reads
 * entries only if the page has fewer than `bound` and others follow it.
 */
async function count(
  { items, more }: { items: Rendered[]; more: boolean },
  walk: PartWalk,
  match: EntryMatcher,
  bound: number,
): Promise<number> {
  const expected = bound - items.length
  if (!more || expected <= 0) return Math.min(bound, items.length)
  const budget = { left: expected }
  const following = { ...walk, from: items.at(-1)?.item.sk, counting: true, expected, budget }
  for await (const _ of matchingBatches(following, match)) if (budget.left <= 0) return bound
  return bound - budget.left
}

/**
 * Reads an entry (`GET /logs/{log_id}`, L3).
 * @throws ApiError `invalid_log_query`; `not_found` for an unknown or expired entry
 */
export async function getLog(account: string, id: string): Promise<{ data: LogEntry }> {
  if (id.length !== 24) throw new ApiError('invalid_log_query', 'log_id must be a 24-character hexadecimal string.')
  const stream = parseLogId(id)?.stream
  if (!stream) throw notFound()
  const item: LogItem | undefined =
    stream === 'flow' ? await findFlow(account, id) : await getItem<LogItem>(logKey(account, id))
  if (!item || !withinRetention(clock.now())(item)) throw notFound()
  return { data: cutEntry(renderEntry(item, await attributionReader(account)([item]))) }
}

/**
 * Content of a cursor: the log id at the cursor, the ingest time `at` of a flow, and the window and total of the first page. A cursor
 * without an id points to the end of the list and links back from an empty page.
 */
const LogPosition = v.strictObject({
  begin: v.number(),
  end: v.number(),
  id: v.optional(v.string()),
  at: v.optional(v.number()),
  backward: v.boolean(),
  total: v.number(),
})
type LogPosition = v.InferOutput<typeof LogPosition>

/** Serializes the filters of a request. A cursor is valid only for a request with the same filters. */
function cursorBinding(account: string, query: LogQuery): string {
  const { cursor: _cursor, limit: _limit, totalLimit: _totalLimit, ...filters } = query
  return `${account}/logs?${JSON.stringify(filters)}`
}

export const logCursor = (account: string, query: LogQuery, position: LogPosition): Promise<string> =>
  encodeCursor(cursorBinding(account, query), position)

/** Reads the position of a cursor; null for the first page. @throws ApiError `invalid_page_cursor` */
export const readLogPosition = async (account: string, query: LogQuery): Promise<LogPosition | null> =>
  query.cursor === null ? null : decodeCursor(cursorBinding(account, query), query.cursor, LogPosition)
