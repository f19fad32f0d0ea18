import { zoneFormat } from './zone-format.ts'

/** A value of `current_utc_datetime`: ranges of whole seconds of one day of the week in one zone (A17.2). */
export type DayRanges = { day: number; ranges: { start: number; end: number }[]; zone: string }

const example = 'M/09:00-17:00/Europe/Warsaw'
export const mustBeDayRanges = `must be <day>/<ranges>/<zone>, for example ${example}`
const mustBeRange = 'time range must be start-end like 09:00-17:00, or true for the whole day'

/** Sunday is 0, as in `Date`. */
const days = 'UMTWRFS'
const wholeDay = { start: 0, end: 86_399 }

/** Seconds since midnight of `H`, `HH`, `HH:MM` or `HH:MM:SS`, fractions cut; null for another form. */
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

/** True for more ranges than a value may have; tested before it is parsed. */
export const hasTooManyRanges = (value: string): boolean => value.split(',', maxRanges + 1).length > maxRanges

/** The parsed value, or the message of the first part that is wrong. */
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
