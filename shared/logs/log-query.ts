import { dayMicros, parseTimestamp } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { isUuid } from '../core/ids.ts'
import { readCursor, readLimit } from '../values/page.ts'
import { logStreams } from './entries/log-id.ts'

/** Default length in microseconds of a listing's window, used without `begin` (L2.1). */
export const defaultWindow = 90 * dayMicros

/** Maximum value of `total_limit`, the number up to which a listing counts entries (L2.5). */
export const maxTotalLimit = 10_000

export const invalidLogQuery = (detail: string) => new ApiError('invalid_log_query', detail)

function readSingle(query: URLSearchParams, name: string): string | null {
  const values = query.getAll(name)
  if (values.length > 1 || query.has(`${name}[]`)) throw invalidLogQuery(`${name} must be a single string.`)
  return values[0] ?? null
}

/**
 * Parses a query parameter. Returns null if the parameter is absent or empty. @throws ApiError `invalid_log_query` if `parse` returns null
 */
export function readParameter<T>(
  query: URLSearchParams,
  name: string,
  parse: (text: string) => T | null,
  rule: string,
): T | null {
  const text = readSingle(query, name)
  if (!text) return null
  const value = parse(text)
  if (value === null) throw invalidLogQuery(`${name} must be ${rule}.`)
  return value
}

// Restores the plus sign of a time offset, because an unescaped plus sign in a query string is decoded as a space.
const readInstant = (query: URLSearchParams, name: string) =>
  readParameter(query, name, (text) => parseTimestamp(text.replace(/ (\d\d:\d\d)$/, '+$1')), 'an RFC 3339 timestamp')

const readUuid = (query: URLSearchParams, name: string) =>
  readParameter(query, name, (text) => (isUuid(text) ? text.toLowerCase() : null), 'a UUID')

function readTotalLimit(query: URLSearchParams): number | null {
  const read = (text: string) => (/^\d+$/.test(text) && Number(text) <= maxTotalLimit ? Number(text) : null)
  return readParameter(query, 'total_limit', read, `an integer from 0 to ${maxTotalLimit}`)
}

/** Parameters of `GET /logs` (L2.1). Times are in microseconds. Null means that the parameter is absent. */
export type LogQuery = ReturnType<typeof readLogQuery>

/** Validates the parameters in the order of L2.2. `readLogPosition` decodes the cursor later. @throws ApiError `invalid_log_query` */
export function readLogQuery(query: URLSearchParams, now: number) {
  const limit = readLimit(query)
  const text = readSingle(query, 'type')
  const type = logStreams.find((stream) => stream === text) ?? null
  if (text !== null && type === null) throw invalidLogQuery('type must be one of change, session, flow, api_request.')
  const begin = readInstant(query, 'begin')
  const end = readInstant(query, 'end')
  // With a cursor, the defaults do not apply, because the page uses the window of the first page.
  const first = !query.has('page_cursor')
  const [from, to] = first ? [begin ?? now - defaultWindow, end ?? now] : [begin ?? 0, end ?? Number.MAX_VALUE]
  if (from > to) throw invalidLogQuery('begin must not be after end.')
  const actorId = readUuid(query, 'actor_id')
  const actorEmail = readSingle(query, 'actor_email') || null
  if (actorEmail !== null && type === 'api_request')
    throw invalidLogQuery('actor_email cannot be combined with type api_request.')
  const objectId = readUuid(query, 'object_id')
  if (objectId !== null && type !== null && type !== 'change')
    throw invalidLogQuery(`object_id cannot be combined with type ${type}.`)
  const totalLimit = readTotalLimit(query)
  return { limit, cursor: readCursor(query), type, begin, end, actorId, actorEmail, objectId, totalLimit }
}
