import { setTimeout } from 'node:timers/promises'

export const dayMicros = 86_400_000_000
export const hourMicros = 3_600_000_000

export const dayStart = (micros: number): number => micros - (micros % dayMicros)
export const hourStart = (micros: number): number => Math.floor(micros / hourMicros) * hourMicros

let last = 0

export const clock = {
  /** Returns microseconds since 1970. Strictly increasing, so that no two events of a process have the same time. */
  now(): number {
    last = Math.max(Date.now() * 1000, last + 1)
    return last
  },
  /**
   * Returns milliseconds since 1970, for deadlines and measurements. Time in which a process was frozen may be missing, so ages are
   * computed with `now`.
   */
  monotonic: (): number => performance.timeOrigin + performance.now(),
  sleep: (ms: number, signal?: AbortSignal): Promise<void> => setTimeout(ms, undefined, { signal }),
}

/** Returns a random delay in milliseconds. The maximum doubles with every try, up to `maxMs`. */
export const jitter = (tries: number, firstMs: number, maxMs: number): number =>
  Math.random() * Math.min(maxMs, firstMs * 2 ** Math.min(tries, 20))

const twoDigitTexts = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'))
/** Number and text of the day of the last formatted timestamp. Cached, because the times of a list cover only a few days. */
let [lastDay, lastDayText] = [Number.NaN, '']

/**
 * Formats microseconds since 1970 as RFC 3339 in UTC, with six fractional digits (A2.5). Later times are set to the end of the year 9999.
 */
export function timestamp(micros: number): string {
  if (!(micros >= 0 && micros <= Number.MAX_SAFE_INTEGER)) return distantTimestamp(micros)
  const day = Math.floor(micros / dayMicros)
  if (day !== lastDay) [lastDay, lastDayText] = [day, new Date((day * dayMicros) / 1000).toISOString().slice(0, 11)]
  const ofDay = micros - day * dayMicros
  const second = Math.floor(ofDay / 1_000_000)
  const minute = Math.floor(second / 60)
  const [hours, minutes] = [twoDigitTexts[Math.floor(minute / 60)], twoDigitTexts[minute % 60]]
  const fraction = String(1_000_000 + ofDay - second * 1_000_000).slice(1)
  return `${lastDayText}${hours}:${minutes}:${twoDigitTexts[second % 60]}.${fraction}Z`
}

/** Formats times before 1970 or beyond 2^53 microseconds. */
function distantTimestamp(micros: number): string {
  const rest = ((micros % 1000) + 1000) % 1000
  // Rounds, because the difference of numbers beyond 2^53 is not exact.
  const millis = Math.round((micros - rest) / 1000)
  if (millis >= Date.UTC(10_000)) return '9999-12-31T23:59:59.999999Z'
  return `${new Date(millis).toISOString().slice(0, -1)}${String(rest).padStart(3, '0')}Z`
}

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/

/** Parses a timestamp to its whole second, in milliseconds since 1970, and six fractional digits. */
function read(text: string): { millis: number; fraction: string } | null {
  const match = rfc3339.exec(text)
  if (!match) return null
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHour = '0', offsetMinute = '0'] = match
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return null
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return null
  date.setUTCHours(Number(hour), Number(minute), Number(second))
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60_000 * (sign === '-' ? -1 : 1)
  return { millis: date.getTime() - offset, fraction: fraction.slice(0, 6).padEnd(6, '0') }
}

/** Parses an RFC 3339 timestamp with an offset (A6.3) to microseconds since 1970. Exact until the year 2255; null when invalid. */
export function parseTimestamp(text: string): number | null {
  const parts = read(text)
  return parts && parts.millis * 1000 + Number(parts.fraction)
}

/** Parses two digits. For any other text, returns 1,000, which is out of range for every part of a timestamp. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? 10 * tens + ones : 1_000
}

/** Day of the last parsed timestamp, and the day's first microsecond. Cached, because the times in a request cover only a few days. */
let [day, firstMicro] = ['none', 0]

/** Parses UTC timestamps several times faster than `parseTimestamp`. Returns NaN for any other format. */
export function parseUsualTimestamp(text: string): number {
  const end = text.length - 1
  if (end < 19 || end === 20 || end > 26 || text.charCodeAt(end) !== 90 || text.charCodeAt(10) !== 84) return Number.NaN
  if (text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58) return Number.NaN
  const [hour, minute, second] = [twoDigits(text, 11), twoDigits(text, 14), twoDigits(text, 17)]
  if (hour > 23 || minute > 59 || second > 59 || (end > 19 && text.charCodeAt(19) !== 46)) return Number.NaN
  let fraction = 0
  for (let at = 20; at < 26; at++) {
    const digit = at < end ? text.charCodeAt(at) - 48 : 0
    if (digit < 0 || digit > 9) return Number.NaN
    fraction = fraction * 10 + digit
  }
  if (!text.startsWith(day)) {
    const micros = parseTimestamp(`${text.slice(0, 10)}T00:00:00Z`)
    if (micros === null) return Number.NaN
    ;[day, firstMicro] = [text.slice(0, 10), micros]
  }
  return firstMicro + ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction
}

/** Parses a stored timestamp to microseconds since 1970. @throws Error for any other text */
export function microsOf(text: string): number {
  const usual = parseUsualTimestamp(text)
  const micros = Number.isNaN(usual) ? parseTimestamp(text) : usual
  if (micros === null) throw new Error('This is not a timestamp.')
  return micros
}

/** Converts a timestamp to UTC, exactly in every year. Null when invalid or outside the years 0 to 9999. */
export function toUtc(text: string): string | null {
  const parts = read(text)
  if (!parts) return null
  const utc = new Date(parts.millis).toISOString()
  return /^\d/.test(utc) ? `${utc.slice(0, 19)}.${parts.fraction}Z` : null
}
