import type { ConditionProperty } from './condition-property.ts'

/** A value of `current_utc_datetime` (A17.2): ranges in seconds since midnight, on one day of the week in one time zone. */
type DayRanges = { day: number; ranges: { start: number; end: number }[]; zone: string }

const example = 'M/09:00-17:00/Europe/Warsaw'
const mustBeDayRanges = `must be <day>/<ranges>/<zone>, for example ${example}`
const mustBeRange = 'time range must be start-end like 09:00-17:00, or true for the whole day'

/** Letters of the weekdays. As in `Date`, Sunday has index 0. */
const days = 'UMTWRFS'
const wholeDay = { start: 0, end: 86_399 }

/** Parses `H`, `HH`, `HH:MM` or `HH:MM:SS` to seconds since midnight, ignoring fractions. Returns null for any other form. */
function seconds(text: string): number | null {
  const match = /^(\d{1,2})(?::(\d{1,2}))?(?::(\d{1,2})(?:\.\d+)?)?$/.exec(text.trim())
  if (!match) return null
  const [, hours, minutes = '0', rest = '0'] = match
  const [hour, minute, second] = [Number(hours), Number(minutes), Number(rest)]
  return hour > 23 || minute > 59 || second > 59 ? null : hour * 3600 + minute * 60 + second
}

function parseRange(text: string): { start: number; end: number } | string {
  const [from = '', to, ...more] = text.split('-')
  const start = seconds(from)
  const end = to === undefined ? null : seconds(to)
  if (start === null || end === null || more.length > 0) return mustBeRange
  return start > end ? 'start of the time range must not be after its end' : { start, end }
}

const maxRanges = 100

/** Parses a value of `current_utc_datetime`, or returns a message about the first invalid part. */
export function parseDayRanges(value: string): DayRanges | { message: string } {
  const [day = '', ranges, ...zoneParts] = value.split('/')
  const zone = zoneParts.join('/').trim()
  if (ranges === undefined) return { message: mustBeDayRanges }
  if (zone === '') return { message: `timezone is required, for example ${example}` }
  if (!zoneFormat(zone)) return { message: 'timezone is unknown, use a name of the IANA database like Europe/Warsaw' }
  const index = day.length === 1 ? days.indexOf(day) : -1
  if (index < 0) return { message: 'day must be one of M, T, W, R, F, S, U (R is Thursday, U is Sunday)' }
  const parsed = ranges.trim() === '' ? [] : ranges.trim() === 'true' ? [wholeDay] : ranges.split(',').map(parseRange)
  const message = parsed.find((range) => typeof range === 'string')
  if (message !== undefined) return { message }
  return { day: index, ranges: parsed.filter((range) => typeof range !== 'string'), zone }
}

const time = '([01]?[0-9]|2[0-3])(:[0-5]?[0-9](:[0-5]?[0-9](\\.[0-9]+)?)?)?'
const dayRanges = `^[MTWRFSU]/(true|${time}-${time}(,${time}-${time})*)?/[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$`

/** Condition on the current time. Its test needs no client and returns the end of the matching range. */
export const currentUtcDatetime: ConditionProperty = {
  name: 'current_utc_datetime',
  operators: ['is_in_day_of_week_time_ranges'],
  values: 'times',
  message: mustBeDayRanges,
  refuse: (value) => {
    if (value.split(',', maxRanges + 1).length > maxRanges) return 'has too many time ranges'
    const parsed = parseDayRanges(value)
    return 'message' in parsed ? parsed.message : undefined
  },
  form: { pattern: dayRanges },
  fact: () => null,
  isDecidable: () => true,
  parse: (values) => {
    const ranges = mergeRanges(values)
    return (_context, at) => findEnd(ranges, at) ?? false
  },
}

/** Merges ranges on the same day and in the same zone that overlap or are less than two seconds apart (A17.3(2)). */
function mergeRanges(values: string[]): DayRanges[] {
  const parsed = values.flatMap((value) => {
    const entry = parseDayRanges(value)
    return 'message' in entry ? [] : [entry]
  })
  const byDay = Map.groupBy(parsed, ({ day, zone }) => `${day}/${zone}`)
  return [...byDay.values()].map((entries) => ({
    ...(entries[0] as DayRanges),
    ranges: join(entries.flatMap(({ ranges }) => ranges)),
  }))
}

function join(ranges: DayRanges['ranges']): DayRanges['ranges'] {
  const mergedRanges: DayRanges['ranges'] = []
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = mergedRanges.at(-1)
    if (last && range.start - last.end < 2) last.end = Math.max(last.end, range.end)
    else mergedRanges.push({ ...range })
  }
  return mergedRanges
}

/** Returns the latest end, in microseconds, of the ranges that contain the instant. Returns null if no range contains it. */
function findEnd(all: DayRanges[], at: number): number | null {
  const second = Math.floor(at / 1_000_000)
  const ends = all.flatMap(({ day, ranges, zone }) => {
    const local = localTime(second, zone)
    const range =
      local.day === day ? ranges.find(({ start, end }) => start <= local.seconds && local.seconds <= end) : undefined
    return range ? [endInstant(second, local, range.end, zone)] : []
  })
  return ends.length > 0 ? Math.max(...ends) * 1_000_000 : null
}

/** Step size, in seconds, of the search for a clock change. */
const step = 900

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

type LocalTime = { day: number; date: string; seconds: number }

function localTime(second: number, zone: string): LocalTime {
  // Throws only on a bug: the time zones of stored conditions are valid.
  const format = zoneFormat(zone)
  if (!format) throw new Error(`${zone} is not a time zone.`)
  const parts = Object.fromEntries(format.formatToParts(second * 1000).map(({ type, value }) => [type, value]))
  return {
    day: weekdays.indexOf(parts.weekday ?? ''),
    date: `${parts.year}-${parts.month}-${parts.day}`,
    seconds: Number(parts.hour) * 3600 + Number(parts.minute) * 60 + Number(parts.second),
  }
}

/**
 * Returns the first time, not before `second`, at which the zone's clock reads the end of the range or later. Without a clock change, the
 * difference between the local times gives the result. Otherwise, a bisection finds it.
 */
function endInstant(second: number, { date, seconds }: LocalTime, end: number, zone: string): number {
  const isPassed = (at: number): boolean => {
    const local = localTime(at, zone)
    return local.date !== date || local.seconds >= end
  }
  const plain = second + (end - seconds)
  const localEnd = localTime(plain, zone)
  if (localEnd.date === date && localEnd.seconds === end) return plain
  let low = second
  while (!isPassed(low + step)) low += step
  let high = low + step
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (isPassed(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** Maximum number of cached formats, larger than the number of time zones. Bounded because zone names can be spelled in many ways. */
const maxFormats = 1_000

const formats = new Map<string, Intl.DateTimeFormat>()

/** Returns the format for local times in an IANA time zone, or null for an unknown zone. Cached, because creating a format is slow. */
function zoneFormat(zone: string): Intl.DateTimeFormat | null {
  // Rejects offsets such as "+01:00", which Intl accepts although they are not zones of the IANA database.
  if (!/^[A-Za-z]/.test(zone)) return null
  const cached = formats.get(zone)
  if (cached) return cached
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      weekday: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    })
    if (formats.size < maxFormats) formats.set(zone, format)
    return format
  } catch {
    return null
  }
}
