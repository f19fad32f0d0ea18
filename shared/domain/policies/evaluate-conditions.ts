import { contains, parseIp, parseRange, unmapped, unmappedRange } from '../../values/ip.ts'
import type { Condition } from './conditions.ts'
import { type DayRanges, parseDayRanges } from './time-ranges.ts'
import { zoneFormat } from './zone-format.ts'

/** The facts about a request that conditions test (A17.3). */
export type ConditionContext = {
  ip: string | null
  region: string | null
  verifiedAt: string | null
  authProviderId: string | null
}

/** The outcome of one condition; `until` is when it stops holding, in microseconds, null for never. */
export type ConditionResult = { condition: Condition; passed: boolean; until: number | null }

export type Evaluation = { conforms: true; until: number | null } | { conforms: false; violated: string[] }

/** All conditions must hold; the earliest end is the end of the policy (A17.3). `at` is in microseconds. */
export function evaluateConditions(conditions: Condition[], context: ConditionContext, at: number): Evaluation {
  const results = conditions.map((condition) => evaluateCondition(condition, context, at))
  const violated = results.filter(({ passed }) => !passed).map(({ condition }) => condition.property)
  if (violated.length > 0) return { conforms: false, violated }
  const ends = results.flatMap(({ until }) => (until === null ? [] : [until]))
  return { conforms: true, until: ends.length > 0 ? Math.min(...ends) : null }
}

export function evaluateCondition(condition: Condition, context: ConditionContext, at: number): ConditionResult {
  const { property, operator, values } = condition
  if (property === 'current_utc_datetime') {
    const until = endOfMatch(values, at)
    return { condition, passed: until !== null, until }
  }
  return { condition, passed: holds(property, operator, values, context), until: null }
}

function holds(
  property: string,
  operator: string,
  values: string[],
  { ip, region, verifiedAt, authProviderId }: ConditionContext,
): boolean {
  switch (property) {
    case 'remote_ip_location_region':
      return region !== null && values.includes(region) === (operator === 'is_in')
    case 'remote_ip':
      return ip !== null && inAny(values, ip, operator === 'is_in_cidr')
    case 'auth_provider_id': {
      const listed = authProviderId !== null && values.some((value) => value.toLowerCase() === authProviderId)
      return listed === (operator === 'is_in')
    }
    case 'client_verified':
      return !['true', '1'].includes(values[0] ?? '') || verifiedAt !== null
    default:
      return false
  }
}

function inAny(values: string[], text: string, wanted: boolean): boolean {
  const given = parseIp(text)
  if (!given) return false
  const ip = unmapped(given)
  const inside = values.some((value) => {
    const range = parseRange(value)
    return range !== null && contains(unmappedRange(range), ip)
  })
  return inside === wanted
}

/** Ranges of the same day and zone that touch (less than two seconds apart) or overlap are one (A17.3(2)). */
function merged(values: string[]): DayRanges[] {
  const byDay = new Map<string, DayRanges>()
  for (const value of values) {
    const parsed = parseDayRanges(value)
    if ('message' in parsed) continue
    const key = `${parsed.day}/${parsed.zone}`
    const known = byDay.get(key)
    if (known) for (const range of parsed.ranges) known.ranges.push(range)
    else byDay.set(key, parsed)
  }
  return [...byDay.values()].map((entry) => ({ ...entry, ranges: join(entry.ranges) }))
}

function join(ranges: DayRanges['ranges']): DayRanges['ranges'] {
  const joined: DayRanges['ranges'] = []
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1)
    if (last && range.start - last.end < 2) last.end = Math.max(last.end, range.end)
    else joined.push({ ...range })
  }
  return joined
}

/** The latest end among the ranges that hold the instant; null when none does. */
function endOfMatch(values: string[], at: number): number | null {
  const second = Math.floor(at / 1_000_000)
  const ends = merged(values).flatMap(({ day, ranges, zone }) => {
    const local = localTime(second, zone)
    const range =
      local.day === day ? ranges.find(({ start, end }) => start <= local.seconds && local.seconds <= end) : undefined
    return range ? [endInstant(second, local.seconds, range.end, zone)] : []
  })
  return ends.length > 0 ? Math.max(...ends) * 1_000_000 : null
}

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

function localTime(second: number, zone: string): { day: number; date: string; seconds: number } {
  // Conditions are stored with zones that exist.
  const format = zoneFormat(zone)
  if (!format) throw new Error(`${zone} is no time zone.`)
  const parts = Object.fromEntries(format.formatToParts(second * 1000).map(({ type, value }) => [type, value]))
  return {
    day: weekdays.indexOf(parts.weekday ?? ''),
    date: `${parts.year}-${parts.month}-${parts.day}`,
    seconds: Number(parts.hour) * 3600 + Number(parts.minute) * 60 + Number(parts.second),
  }
}

/**
 * The first instant not before `second` at which the zone's clock shows the end of the range, or has jumped over it.
 * Without a clock change that is the difference of the local times; a change in between is found by bisection.
 */
function endInstant(second: number, localSeconds: number, end: number, zone: string): number {
  const plain = second + (end - localSeconds)
  const arrived = localTime(plain, zone)
  const { date } = localTime(second, zone)
  if (arrived.date === date && arrived.seconds === end && !changesBetween(second, plain, zone)) return plain
  for (let at = second, step = 900; ; at += step) {
    const next = localTime(at + step, zone)
    const passed = next.date !== date || next.seconds >= end
    if (!passed) continue
    return firstPassed(at, at + step, date, end, zone)
  }
}

const offsetOf = (second: number, zone: string): number => {
  const { date, seconds } = localTime(second, zone)
  return Date.parse(`${date}T00:00:00Z`) / 1000 + seconds - second
}

const changesBetween = (from: number, to: number, zone: string): boolean => offsetOf(from, zone) !== offsetOf(to, zone)

function firstPassed(from: number, to: number, date: string, end: number, zone: string): number {
  let [low, high] = [from, to]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const local = localTime(middle, zone)
    if (local.date !== date || local.seconds >= end) high = middle
    else low = middle + 1
  }
  return low
}
