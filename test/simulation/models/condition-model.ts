import { BlockList, isIP } from 'node:net'
import { localClock, whenClockShows } from './zone-model.ts'

export type Condition = { property: string; operator: string; values: string[] }

export type Circumstances = { ip: string | null; region: string | null; provider: string | null; verified: boolean }

export const nowhere: Circumstances = { ip: null, region: null, provider: null, verified: false }

/**
 * Result of a condition. `until` is the last second at which the condition is met. It is null if the condition is not met or never expires.
 */
export type Verdict = { passed: boolean; until: number | null }

/**
 * Evaluates one condition according to the table in A17.3.
 * @param at instant in seconds since 1970
 */
export function verdictOf({ property, operator, values }: Condition, where: Circumstances, at: number): Verdict {
  if (property === 'current_utc_datetime') {
    const until = endOfOpening(values, at)
    return { passed: until !== null, until }
  }
  const isPositive = operator === 'is_in' || operator === 'is_in_cidr'
  const passed = {
    remote_ip_location_region: () => where.region !== null && values.includes(where.region) === isPositive,
    remote_ip: () => where.ip !== null && isInside(values, where.ip) === isPositive,
    auth_provider_id: () => (where.provider === null ? !isPositive : values.includes(where.provider) === isPositive),
    client_verified: () => values[0] === 'false' || values[0] === '0' || where.verified,
  }[property]
  if (!passed) throw new Error(`The model does not know the property ${property}.`)
  return { passed: passed(), until: null }
}

/**
 * Evaluates all conditions. Returns the violated properties in order, and the earliest second at which a condition is no longer met (A17.3(1),
 * (3)).
 */
export function judge(conditions: Condition[], where: Circumstances, at: number) {
  const verdicts = conditions.map((condition) => verdictOf(condition, where, at))
  const violated = conditions.filter((_, i) => !verdicts[i]?.passed).map(({ property }) => property)
  const end = Math.min(...verdicts.map(({ until }) => until ?? Number.POSITIVE_INFINITY))
  return { violated, end }
}

function isInside(ranges: string[], address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1]
  const ip = mapped ?? address
  const family = isIP(ip)
  const list = new BlockList()
  for (const range of ranges) {
    const [net = '', prefix] = range.split('/')
    // Skips ranges of the other IP version, because they never match.
    if (isIP(net) !== family) continue
    list.addSubnet(net, Number(prefix ?? (family === 4 ? 32 : 128)), family === 4 ? 'ipv4' : 'ipv6')
  }
  return list.check(ip, family === 4 ? 'ipv4' : 'ipv6')
}

const dayLetters = 'UMTWRFS'

const secondsOf = (time: string): number => {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
  return hours * 3600 + minutes * 60 + seconds
}

type Opening = {
  day: string
  zone: string
  /** First and last second of each range, counted from midnight. */
  open: [number, number][]
}

/** Parses time windows, and merges the ranges of the same day and zone (A17.3(2)). */
function openingsOf(values: string[]): Opening[] {
  const openings: Opening[] = []
  for (const value of values) {
    const [, day = '', ranges = '', zone = ''] = /^(.)\/([^/]*)\/(.*)$/.exec(value) ?? []
    const open = (ranges === 'true' ? '0-23:59:59' : ranges)
      .split(',')
      .filter((range) => range !== '')
      .map((range) => range.split('-').map(secondsOf) as [number, number])
    const existing = openings.find((opening) => opening.day === day && opening.zone === zone)
    if (existing) existing.open.push(...open)
    else openings.push({ day, zone, open })
  }
  return openings
}

/**
 * Returns the last second of the time window that contains `at`, or null outside all windows. Adjacent and overlapping ranges form one
 * window. If several windows contain `at`, returns the latest end.
 */
function endOfOpening(values: string[], at: number): number | null {
  const ends = openingsOf(values).flatMap(({ day, zone, open }) => {
    const { weekday, seconds } = localClock(zone, at)
    const holding = open.filter(([from, to]) => from <= seconds && seconds <= to)
    if (dayLetters[weekday] !== day || holding.length === 0) return []
    let end = Math.max(...holding.map(([, to]) => to))
    for (let longer = true; longer; ) {
      const next = Math.max(...open.filter(([from]) => from - end < 2).map(([, to]) => to))
      longer = next > end
      end = Math.max(end, next)
    }
    return [whenClockShows(zone, at, end)]
  })
  return ends.length > 0 ? Math.max(...ends) : null
}
