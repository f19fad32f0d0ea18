import { parseTimestamp } from '../../core/clock.ts'
import { canonicalIp } from '../../values/ip.ts'
import { lastLogMicros } from '../log-id.ts'

export const maxCounter = 2n ** 63n - 1n

/** A flow is identified by its start, which has to fit a log id (L4). */
export const isFlowStart = (micros: number): boolean => micros >= 0 && micros <= lastLogMicros

/** Years 0 to 9999 in UTC: what a timestamp of an answer can show. */
const firstMicros = -62_167_219_200_000_000
const endMicros = 253_402_300_800_000_000

/** The number of two digits, far out of range for anything else. */
function pair(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : 1_000
}

let knownDay = ''
let knownDayMicros = 0

function dayMicros(text: string): number {
  const day = text.slice(0, 10)
  if (day !== knownDay) {
    const micros = parseTimestamp(`${day}T00:00:00Z`)
    if (micros === null) return Number.NaN
    knownDayMicros = micros
    knownDay = day
  }
  return knownDayMicros
}

/** Microseconds of a UTC timestamp in its usual form, NaN for every other text. Reports are made of these. */
function usualTimestamp(text: string): number {
  const end = text.length - 1
  if (end < 19 || text.charCodeAt(end) !== 90 || text.charCodeAt(10) !== 84) return Number.NaN
  if (text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58) return Number.NaN
  const hour = pair(text, 11)
  const minute = pair(text, 14)
  const second = pair(text, 17)
  if (hour > 23 || minute > 59 || second > 59) return Number.NaN
  let fraction = 0
  if (end > 19) {
    if (text.charCodeAt(19) !== 46 || end === 20 || end > 26) return Number.NaN
    for (let at = 20; at < 26; at++) {
      const digit = at < end ? text.charCodeAt(at) - 48 : 0
      if (digit < 0 || digit > 9) return Number.NaN
      fraction = fraction * 10 + digit
    }
  }
  return dayMicros(text) + ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction
}

/** Microseconds of a timestamp (A6.3); null for anything that is none, or that no answer can show. */
export function readTime(value: unknown): number | null {
  if (typeof value !== 'string') return null
  const usual = usualTimestamp(value)
  const micros = Number.isNaN(usual) ? parseTimestamp(value.trim()) : usual
  return micros !== null && micros >= firstMicros && micros < endMicros ? micros : null
}

const canonical = new Map<string, string>()

/** The canonical text of an IP literal, null for anything else. The few addresses of a tunnel are remembered. */
export function readIp(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const known = canonical.get(value)
  if (known !== undefined) return known
  const ip = canonicalIp(value.trim())
  if (ip !== null && value.length <= 64) {
    if (canonical.size >= 10_000) canonical.clear()
    canonical.set(value, ip)
  }
  return ip
}

export const isPort = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 65_535
