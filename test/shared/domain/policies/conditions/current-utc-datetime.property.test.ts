import fc from 'fast-check'
import { expect, it } from 'vitest'
import { evaluateConditions } from '#shared/domain/policies/conditions/conditions.ts'
import { conditionContext } from '#test/support/access/circumstances.ts'

/** Compares time conditions with `Intl` second by second, especially around clock changes (A17.3). */

const day = 86_400
const letters = ['U', 'M', 'T', 'W', 'R', 'F', 'S']
const zones = [
  'UTC',
  'Europe/Warsaw',
  'America/New_York',
  'America/St_Johns',
  'America/Santiago',
  'America/Sao_Paulo',
  'Africa/Cairo',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Asia/Tokyo',
  'Atlantic/Azores',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Chatham',
]

type Local = { date: string; day: number; second: number }

const formats = new Map(
  zones.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }),
  ]),
)

function localAt(at: number, zone: string): Local {
  const [date = '', time = ''] = (formats.get(zone) as Intl.DateTimeFormat).format(at * 1000).split(' ')
  const [hours, minutes, seconds] = time.split(':').map(Number) as [number, number, number]
  return { date, day: new Date(`${date}T12:00:00Z`).getUTCDay(), second: hours * 3600 + minutes * 60 + seconds }
}

const offsetAt = (at: number, zone: string): number => {
  const { date, second } = localAt(at, zone)
  return Date.parse(`${date}T00:00:00Z`) / 1000 + second - at
}

/**
 * Returns the clock changes of a zone in the years 2010 to 2030, in Unix seconds. Each returned time is at most an hour before the change.
 */
function changesOf(zone: string): number[] {
  const found: number[] = []
  const step = 7 * day
  for (let at = Date.UTC(2010, 0) / 1000; at < Date.UTC(2030, 0) / 1000; at += step) {
    if (offsetAt(at, zone) === offsetAt(at + step, zone)) continue
    let low = at
    for (let hour = 3600; low + hour < at + step; low += hour) {
      if (offsetAt(low, zone) !== offsetAt(low + hour, zone)) break
    }
    found.push(low)
  }
  return found
}

const changes = new Map(zones.map((zone) => [zone, changesOf(zone)]))
const anywhen = fc.integer({ min: Date.UTC(2010, 0) / 1000, max: Date.UTC(2030, 0) / 1000 })
/** Instant in a zone. Half of the instants are within five hours of a clock change. */
const instant = fc.constantFrom(...zones).chain((zone) => {
  const near = changes.get(zone) as number[]
  const change = near.length > 0 ? fc.constantFrom(...near) : anywhen
  const close = fc.tuple(change, fc.integer({ min: -4 * 3600, max: 5 * 3600 })).map(([at, by]) => at + by)
  return fc.record({ zone: fc.constant(zone), at: fc.oneof(close, anywhen) })
})

const second = fc.oneof(
  fc.integer({ min: 0, max: day - 1 }),
  fc.integer({ min: 0, max: 4 * 60 }).map((minutes) => minutes * 60),
  fc.constantFrom(0, day - 1),
)
const range = fc.tuple(second, second).map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }))
type Range = { start: number; end: number }

const two = (number: number) => String(number).padStart(2, '0')
const timeText = (at: number) => [at / 3600, (at / 60) % 60, at % 60].map((part) => two(Math.floor(part))).join(':')
const rangesText = (ranges: Range[]) => ranges.map(({ start, end }) => `${timeText(start)}-${timeText(end)}`).join(',')

const evaluate = (values: string[], at: number) =>
  evaluateConditions(
    [{ property: 'current_utc_datetime', operator: 'is_in_day_of_week_time_ranges', values }],
    conditionContext({}),
    at * 1_000_000,
  )

/** Returns the last second of the contiguous ranges that contain `at`, or null if no range contains `at`. */
function stretchEnd(ranges: Range[], at: number): number | null {
  const covered = new Uint8Array(day)
  for (const { start, end } of ranges) covered.fill(1, start, end + 1)
  if (!covered[at]) return null
  const gap = covered.indexOf(0, at)
  return (gap < 0 ? day : gap) - 1
}

/** Returns the first second at or after `at` at which the local time is `end` or later, or the local date is no longer `date`. */
function firstReach(at: number, zone: string, date: string, end: number): number {
  const reached = (second: number) => {
    const local = localAt(second, zone)
    return local.date !== date || local.second >= end
  }
  // Searches minute by minute, because clocks change only between minutes and local time never decreases within a minute.
  let minute = at - (at % 60)
  while (!reached(minute + 59)) minute += 60
  let second = Math.max(at, minute)
  while (!reached(second)) second++
  return second
}

const case_ = fc.record({
  when: instant,
  today: fc.array(range, { maxLength: 3 }),
  touching: fc.boolean(),
  other: fc.record({ zone: fc.constantFrom(...zones), day: fc.nat(6), ranges: fc.array(range, { maxLength: 2 }) }),
})

it('is satisfied exactly inside its ranges, until the local time leaves them', () => {
  fc.assert(
    fc.property(case_, ({ when: { zone, at }, today, touching, other }) => {
      const local = localAt(at, zone)
      // In half of the cases, adds two adjacent ranges around the instant.
      const around: Range[] = touching
        ? [
            { start: Math.max(0, local.second - 1000), end: local.second },
            { start: Math.min(day - 1, local.second + 1), end: Math.min(day - 1, local.second + 5000) },
          ]
        : []
      const ranges = [...today, ...around]
      const values = [
        `${letters[local.day]}/${rangesText(ranges)}/${zone}`,
        `${letters[other.day]}/${rangesText(other.ranges)}/${other.zone}`,
      ]
      const ends: number[] = []
      for (const [value, name] of [
        [{ day: local.day, ranges }, zone],
        [other, other.zone],
      ] as const) {
        const here = localAt(at, name)
        const same = name === zone && name === other.zone && other.day === local.day
        const merged = same ? [...ranges, ...other.ranges] : value.ranges
        const end = here.day === value.day ? stretchEnd(merged, here.second) : null
        if (end !== null) ends.push(firstReach(at, name, here.date, end))
      }
      const expected =
        ends.length > 0
          ? { conforms: true, until: Math.max(...ends) * 1_000_000 }
          : { conforms: false, violated: ['current_utc_datetime'] }
      expect(evaluate(values, at), JSON.stringify({ values, at: new Date(at * 1000) })).toEqual(expected)
    }),
    { numRuns: 400 },
  )
})

it('is satisfied all day for "true", at any clock change, and never for an empty range', () => {
  fc.assert(
    fc.property(instant, fc.nat(6), ({ zone, at }, index) => {
      const { day: today, date } = localAt(at, zone)
      const whole = evaluate([`${letters[index]}/true/${zone}`], at)
      expect(whole.conforms).toBe(index === today)
      if (whole.conforms) expect(whole.until).toBe(firstReach(at, zone, date, day - 1) * 1_000_000)
      expect(evaluate([`${letters[index]}//${zone}`], at).conforms).toBe(false)
    }),
  )
})

it('truncates the instant to whole seconds', () => {
  fc.assert(
    fc.property(instant, fc.integer({ min: 0, max: 999_999 }), ({ zone, at }, micros) => {
      const { day: today, second } = localAt(at, zone)
      const values = [`${letters[today]}/${timeText(second)}-${timeText(second)}/${zone}`]
      const conditions = [{ property: 'current_utc_datetime', operator: 'is_in_day_of_week_time_ranges', values }]
      const nowhere = conditionContext({})
      expect(evaluateConditions(conditions, nowhere, at * 1_000_000 + micros)).toEqual({
        conforms: true,
        until: at * 1_000_000,
      })
    }),
  )
})
