import { dayMicros, hourMicros, hourStart } from '../core/clock.ts'
import { type Dimension, dimensions } from './counters/dimensions.ts'
import { conditionsOf, type FlowCondition, valueCondition } from './counters/flow-conditions.ts'
import {
  flowFilterParameters,
  invalidLogQuery,
  parseInstant,
  readFlowFilters,
  readInteger,
  readOption,
  readParameter,
  readUuid,
} from './log-query.ts'

/** Maximum length of a window in days (R9.6). */
const maxDays = 31
const roles = ['initiator', 'responder'] as const
const orders = ['flows', 'bytes'] as const
/** Maximum and default number of values of `GET /logs/top`. */
const [maxValues, defaultValues] = [100, 10]

/** Request for counters of flows (R9). The window has whole hours, without `end`. Times are in microseconds. */
export type TrafficQuery = {
  begin: number
  end: number
  by: Dimension | null
  role: (typeof roles)[number] | null
  conditions: readonly FlowCondition[]
  open: boolean | null
}

export type TopQuery = TrafficQuery & { by: Dimension; order: (typeof orders)[number]; limit: number }

const time = (description: string) => ({ type: 'string', format: 'date-time', description })

export const trafficParameters = {
  begin: time('First hour of the window, RFC 3339 of a full hour. 24 hours before `end` by default.'),
  end: time('End of the window, exclusive, RFC 3339 of a full hour. The end of the current hour by default.'),
  by: { type: 'string', enum: dimensions, description: 'Dimension by whose values the flows are counted.' },
  role: { type: 'string', enum: roles, description: 'Only flows that this side reported. Both sides by default.' },
  actor_id: { type: 'string', format: 'uuid', description: 'Only flows of the initiating actor with this id.' },
  ...flowFilterParameters,
}

export const topParameters = {
  ...trafficParameters,
  by: { ...trafficParameters.by, default: 'actor' },
  order: {
    type: 'string',
    enum: orders,
    default: 'flows',
    description: 'Puts the values with the most `flows`, or with the most received and sent `bytes`, first.',
  },
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: maxValues,
    default: defaultValues,
    description: 'Maximum number of values.',
  },
}

const readHour = (query: URLSearchParams, name: string): number | null => {
  const parse = (text: string) => {
    const micros = parseInstant(text)
    return micros !== null && micros === hourStart(micros) ? micros : null
  }
  return readParameter(query, name, parse, 'an RFC 3339 timestamp of a full hour')
}

/** Validates the parameters in the order of the contract (R9). @throws ApiError `invalid_log_query` */
export function readTrafficQuery(query: URLSearchParams, now: number): TrafficQuery {
  const begin = readHour(query, 'begin')
  const end = readHour(query, 'end') ?? hourStart(now) + hourMicros
  const first = begin ?? end - dayMicros
  if (first >= end) throw invalidLogQuery('begin must be before end.')
  if (end - first > maxDays * dayMicros) throw invalidLogQuery(`begin must be at most ${maxDays} days before end.`)
  const by = readOption(query, 'by', dimensions)
  const role = readOption(query, 'role', roles)
  const actor = readUuid(query, 'actor_id')
  const filters = readFlowFilters(query)
  const conditions = [...(actor === null ? [] : [valueCondition([actor], 'actor')]), ...conditionsOf(filters)]
  return { begin: first, end, by, role, conditions, open: filters.open }
}

/** Validates the parameters of `GET /logs/top`. @throws ApiError `invalid_log_query` */
export function readTopQuery(query: URLSearchParams, now: number): TopQuery {
  const traffic = readTrafficQuery(query, now)
  const order = readOption(query, 'order', orders) ?? 'flows'
  const limit = readInteger(query, 'limit', [1, maxValues]) ?? defaultValues
  return { ...traffic, by: traffic.by ?? 'actor', order, limit }
}
