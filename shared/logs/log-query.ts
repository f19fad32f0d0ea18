import { dayMicros, parseTimestamp } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { isUuid } from '../core/ids.ts'
import { readCursor, readLimit } from '../values/page.ts'
import { type LogStream, logStreams } from './log-id.ts'

/** The parameters of `GET /logs` (L2.1); times in microseconds, null where the default applies. */
export type LogQuery = {
  limit: number
  cursor: string | null
  type: LogStream | null
  begin: number | null
  end: number | null
  actorId: string | null
  actorEmail: string | null
  objectId: string | null
  /** Up to where entries are counted. */
  totalLimit: number
}

/** A listing without `begin` looks this far back. */
export const defaultWindow = 90 * dayMicros

/** The most that a listing counts, and what it counts unless it is asked for more or less (L2.5). */
export const mostCounted = 10_000
export const countedByDefault = 1_000

const refuse = (detail: string) => new ApiError('invalid_log_query', detail)

function single(query: URLSearchParams, name: string): string | null {
  const values = query.getAll(name)
  if (values.length > 1 || query.has(`${name}[]`)) throw refuse(`${name} must be a single string.`)
  return values[0] ?? null
}

function instant(query: URLSearchParams, name: string): number | null {
  // A plus sign of an offset that was sent unescaped arrives as a blank.
  const text = single(query, name)?.replace(/ (\d\d:\d\d)$/, '+$1')
  if (!text) return null
  const micros = parseTimestamp(text)
  if (micros === null) throw refuse(`${name} must be an RFC 3339 timestamp.`)
  return micros
}

function streamOf(query: URLSearchParams): LogStream | null {
  const text = single(query, 'type')
  const type = logStreams.find((stream) => stream === text) ?? null
  if (text !== null && type === null) throw refuse('type must be one of change, session, flow, api_request.')
  return type
}

function uuid(query: URLSearchParams, name: string): string | null {
  const text = single(query, name) || null
  if (text !== null && !isUuid(text)) throw refuse(`${name} must be a UUID.`)
  return text?.toLowerCase() ?? null
}

function countedUpTo(query: URLSearchParams): number {
  const text = single(query, 'total_limit')
  if (!text) return countedByDefault
  const limit = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(limit <= mostCounted)) throw refuse(`total_limit must be an integer from 0 to ${mostCounted}.`)
  return limit
}

/** Checks the parameters in the order of L2.2; what is in the cursor is tested when it is used. */
export function readLogQuery(query: URLSearchParams, now: number): LogQuery {
  const limit = readLimit(query)
  const type = streamOf(query)
  const begin = instant(query, 'begin')
  const end = instant(query, 'end')
  // Behind a cursor the defaults are those of the first page, which has passed this check.
  const first = !query.has('page_cursor')
  const [from, to] = first ? [begin ?? now - defaultWindow, end ?? now] : [begin ?? 0, end ?? Number.MAX_VALUE]
  if (from > to) throw refuse('begin must not be after end.')
  const actorId = uuid(query, 'actor_id')
  const actorEmail = single(query, 'actor_email') || null
  if (actorEmail !== null && type === 'api_request')
    throw refuse('actor_email cannot be combined with type api_request.')
  const objectId = uuid(query, 'object_id')
  if (objectId !== null && type !== null && type !== 'change')
    throw refuse(`object_id cannot be combined with type ${type}.`)
  const totalLimit = countedUpTo(query)
  return { limit, cursor: readCursor(query), type, begin, end, actorId, actorEmail, objectId, totalLimit }
}
