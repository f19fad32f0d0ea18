const hour = 3600

/** Returns midnight UTC of the first (1), second (2) or last (-1) Sunday of a month, in seconds since 1970. */
function sunday(year: number, month: number, which: number): number {
  const first = which > 0 ? Date.UTC(year, month - 1, 1) : Date.UTC(year, month, 1)
  const weekday = new Date(first).getUTCDay()
  const days = which > 0 ? ((7 - weekday) % 7) + 7 * (which - 1) : ((7 - weekday) % 7) - 7
  return first / 1000 + days * 24 * hour
}

type Zone = {
  standard: number
  /** Start and end of daylight saving time in a year, in seconds since 1970. */
  summer?: (year: number) => [number, number]
}

/** Time zones with the published rules of their clock changes, independent of the time zone data in Node.js. */
const zones: Record<string, Zone> = {
  UTC: { standard: 0 },
  'Asia/Kolkata': { standard: 5.5 * hour },
  'America/Argentina/Buenos_Aires': { standard: -3 * hour },
  'Europe/Warsaw': { standard: hour, summer: (year) => [sunday(year, 3, -1) + hour, sunday(year, 10, -1) + hour] },
  'America/New_York': {
    standard: -5 * hour,
    summer: (year) => [sunday(year, 3, 2) + 7 * hour, sunday(year, 11, 1) + 6 * hour],
  },
}

export const zoneNames = Object.keys(zones)

const zoneOf = (name: string): Zone => {
  const zone = zones[name]
  if (!zone) throw new Error(`The model does not know the zone ${name}.`)
  return zone
}

const changesAround = ({ summer }: Zone, second: number): number[] => {
  const year = new Date(second * 1000).getUTCFullYear()
  return summer ? [year - 1, year, year + 1].flatMap(summer) : []
}

function offsetAt(zone: Zone, second: number): number {
  const past = changesAround(zone, second).filter((change) => change <= second)
  return zone.standard + (past.length % 2 === 1 ? hour : 0)
}

const day = 24 * hour

/** Returns the local time in a zone: the weekday (Sunday is 0) and the second of the day. */
export function localClock(name: string, second: number): { weekday: number; seconds: number } {
  const local = second + offsetAt(zoneOf(name), second)
  return { weekday: (Math.floor(local / day) + 4) % 7, seconds: local % day }
}

/** Returns the first second, at or after `from`, at which the zone's clock shows `seconds` of the current day or skips that time. */
export function whenClockShows(name: string, from: number, seconds: number): number {
  const zone = zoneOf(name)
  const midnight = Math.floor((from + offsetAt(zone, from)) / day) * day
  const instants = [zone.standard, zone.standard + hour]
    .map((offset) => midnight + seconds - offset)
    .filter((second) => second >= from && second + offsetAt(zone, second) === midnight + seconds)
  if (instants.length > 0) return Math.min(...instants)
  return Math.min(...changesAround(zone, from).filter((change) => change > from))
}

/** Returns the clock changes of all zones after `from`, in seconds since 1970. */
export const nextClockChanges = (from: number): number[] =>
  Object.values(zones).flatMap((zone) => changesAround(zone, from).filter((change) => change > from))
