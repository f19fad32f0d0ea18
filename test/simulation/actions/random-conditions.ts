import type { Condition } from '../models/condition-model.ts'
import { zoneNames } from '../models/zone-model.ts'
import { regions } from '../world/places.ts'
import type { SeededRandom } from '../world/seeded-random.ts'

const days = [...'MTWRFSU']

const twoDigits = (value: number): string => String(value).padStart(2, '0')

/** Formats a time of day in one of the notations of A17.2. */
function timeText(random: SeededRandom, seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  if (rest !== 0) return [hours, minutes, rest].map(twoDigits).join(':')
  if (minutes !== 0) return `${twoDigits(hours)}:${twoDigits(minutes)}`
  return random.chance(0.5) ? String(hours) : twoDigits(hours)
}

/** Returns `true` for the whole day, an empty string, or up to three ranges, which can be adjacent or overlap. */
function rangesText(random: SeededRandom): string {
  if (random.chance(0.15)) return 'true'
  if (random.chance(0.05)) return ''
  const ranges: string[] = []
  let from = random.pick([0, 3600, 5400, 7200, 8 * 3600, 9 * 3600])
  for (let i = random.int(1, 3); i > 0 && from < 86_399; i--) {
    const to = Math.min(86_399, from + random.pick([0, 1800, 3600, 5 * 3600, 9 * 3600]))
    ranges.push(`${timeText(random, from)}-${timeText(random, to)}`)
    from = Math.max(0, to + random.pick([-600, 0, 1, 2, 1800, 7200]))
  }
  return random.sample(ranges, ranges.length).join(',')
}

function timeValues(random: SeededRandom): string[] {
  const [ranges, zone] = [rangesText(random), random.pick(zoneNames)]
  const values = random.sample(days, random.pick([1, 3, 5, 7, 7])).map((day) => `${day}/${ranges}/${zone}`)
  if (random.chance(0.3)) values.push(`${random.pick(days)}/${rangesText(random)}/${random.pick(zoneNames)}`)
  return [...new Set(values)]
}

const networks = [
  '192.0.2.0/24',
  '192.0.2.128/25',
  '192.0.2.17',
  '203.0.113.66/26',
  '198.51.100.0/24',
  '0.0.0.0/0',
  '2001:db8::/32',
  '2001:db8:1::/48',
  '::/0',
]

type Make = (random: SeededRandom, providers: string[]) => Condition

const makers: Make[] = [
  (random) => ({
    property: 'remote_ip_location_region',
    operator: random.pick(['is_in', 'is_not_in']),
    values: random.sample(regions, random.int(1, 4)),
  }),
  (random) => ({
    property: 'remote_ip',
    operator: random.pick(['is_in_cidr', 'is_in_cidr', 'is_not_in_cidr']),
    values: random.sample(networks, random.int(1, 4)),
  }),
  (random, providers) => ({
    property: 'auth_provider_id',
    operator: random.pick(['is_in', 'is_not_in']),
    values: random.sample(providers, random.int(1, providers.length)),
  }),
  (random) => ({
    property: 'client_verified',
    operator: 'is',
    values: [random.pick(['true', 'true', '1', 'false', '0'])],
  }),
  (random) => ({
    property: 'current_utc_datetime',
    operator: 'is_in_day_of_week_time_ranges',
    values: timeValues(random),
  }),
]

/** Returns random conditions for a policy, at most one per property. Almost half of the policies have none. */
export function randomConditions(random: SeededRandom, providers: string[]): Condition[] {
  if (random.chance(0.45)) return []
  const time = makers.slice(-1)
  const kinds = random.chance(0.5) ? time : random.sample(makers, random.pick([1, 1, 2, 3]))
  return kinds.map((make) => make(random, providers))
}
