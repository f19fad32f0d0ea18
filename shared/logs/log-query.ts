import { dayMicros, parseTimestamp } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { isUuid } from '../core/ids.ts'
import { readCursor, readLimit } from '../values/page.ts'
import type { FlowFilters } from './counters/flow-conditions.ts'
import { changeOperations, loggedObjects } from './entries/log-entry.ts'
import { type LogStream, logStreams } from './entries/log-id.ts'
import { flowProtocols } from './flows/flow-report.ts'

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
export const parseInstant = (text: string): number | null => parseTimestamp(text.replace(/ (\d\d:\d\d)$/, '+$1'))

const readInstant = (query: URLSearchParams, name: string) =>
  readParameter(query, name, parseInstant, 'an RFC 3339 timestamp')

export const readUuid = (query: URLSearchParams, name: string) =>
  readParameter(query, name, (text) => (isUuid(text) ? text.toLowerCase() : null), 'a UUID')

/** Numbers of ports (R8.3). */
const maxPort = 65_535

export const readInteger = (query: URLSearchParams, name: string, [min, max]: readonly [min: number, max: number]) => {
  const read = (text: string) =>
    /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : null
  return readParameter(query, name, read, `an integer from ${min} to ${max}`)
}

/** Reads a parameter that has one of a few values. */
export const readOption = <T extends string>(query: URLSearchParams, name: string, options: readonly T[]): T | null => {
  const read = (text: string) => options.find((option) => option === text) ?? null
  return readParameter(query, name, read, `one of ${options.join(', ')}`)
}

/** OpenAPI schemas of the filters of flows. */
export const flowFilterParameters = {
  resource_id: { type: 'string', format: 'uuid', description: 'Only flows to the resource with this id.' },
  policy_id: { type: 'string', format: 'uuid', description: 'Only flows that the policy with this id allowed.' },
  device_id: { type: 'string', format: 'uuid', description: 'Only flows whose client or gateway has this id.' },
  protocol: { type: 'string', enum: flowProtocols, description: 'Only flows with this protocol.' },
  port: { type: 'integer', minimum: 0, maximum: maxPort, description: 'Only flows to this port (`inner_dst_port`).' },
  open: { type: 'boolean', description: 'Only flows that are open (`true`) or closed (`false`).' },
}

/** OpenAPI schemas of the filters of changes. */
export const changeFilterParameters = {
  object: { type: 'string', enum: loggedObjects, description: 'Only changes of objects of this kind.' },
  operation: { type: 'string', enum: changeOperations, description: 'Only changes by this operation.' },
  run_id: { type: 'string', format: 'uuid', description: 'Only changes that the sync run with this id made.' },
}

type Check = (name: string) => void

/** Returns a function that calls `check` for a parameter that is present, and returns the parameter's value. */
const withCheck =
  (check: Check) =>
  <T>(name: string, value: T | null): T | null => {
    if (value !== null) check(name)
    return value
  }

/**
 * Reads the filters of flows in the order of R8.3. `check` is called after each parameter that is present.
 * @throws ApiError `invalid_log_query`
 */
export function readFlowFilters(query: URLSearchParams, check: Check = () => {}): FlowFilters {
  const checked = withCheck(check)
  const resource_id = checked('resource_id', readUuid(query, 'resource_id'))
  const policy_id = checked('policy_id', readUuid(query, 'policy_id'))
  const device_id = checked('device_id', readUuid(query, 'device_id'))
  const protocol = checked('protocol', readOption(query, 'protocol', flowProtocols))
  const port = checked('port', readInteger(query, 'port', [0, maxPort]))
  const open = checked('open', readOption(query, 'open', ['true', 'false']))
  return { resource_id, policy_id, device_id, protocol, port, open: open === null ? null : open === 'true' }
}

/** Filters of changes (K11.G7). Null means that the parameter is absent. */
export type ChangeFilters = ReturnType<typeof readChangeFilters>

function readChangeFilters(query: URLSearchParams, check: Check) {
  const checked = withCheck(check)
  const object = checked('object', readOption(query, 'object', loggedObjects))
  const operation = checked('operation', readOption(query, 'operation', changeOperations))
  const run_id = checked('run_id', readUuid(query, 'run_id'))
  return { object, operation, run_id }
}

/** Omits filters that are all absent, so that cursors of earlier versions remain valid. */
const unlessEmpty = <T extends object>(filters: T): T | undefined =>
  Object.values(filters).some((filter) => filter !== null) ? filters : undefined

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
  const requireType = (required: LogStream) => (name: string) => {
    if (type !== required) throw invalidLogQuery(`${name} can only be used with type ${required}.`)
  }
  const flowFilters = unlessEmpty(readFlowFilters(query, requireType('flow')))
  const changeFilters = unlessEmpty(readChangeFilters(query, requireType('change')))
  const totalLimit = readInteger(query, 'total_limit', [0, maxTotalLimit])
  const cursor = readCursor(query)
  return { limit, cursor, type, begin, end, actorId, actorEmail, objectId, totalLimit, flowFilters, changeFilters }
}
