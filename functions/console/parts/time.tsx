import { texts } from '../texts/texts.ts'
import { preferences } from './preferences.ts'
import { useStore } from './store.ts'

type Zone = 'local' | 'utc'

const formatters = new Map<string, Intl.DateTimeFormat>()

function formatterOf(zone: Zone, timeStyle: 'short' | 'medium' | 'long'): Intl.DateTimeFormat {
  const key = `${zone} ${timeStyle}`
  const found =
    formatters.get(key) ??
    new Intl.DateTimeFormat(texts.locale, {
      dateStyle: 'medium',
      timeStyle,
      hourCycle: 'h23',
      ...(zone === 'utc' && { timeZone: 'UTC' }),
    })
  formatters.set(key, found)
  return found
}

const relative = new Intl.RelativeTimeFormat(texts.locale, { numeric: 'auto' })

/** Returns a distance such as "5 minutes ago" for times within a day; undefined for others. */
function distanceOf(time: number, now: number): string | undefined {
  const minutes = Math.round((time - now) / 60_000)
  if (Math.abs(minutes) < 60) return relative.format(minutes, 'minute')
  return Math.abs(minutes) < 24 * 60 ? relative.format(Math.round(minutes / 60), 'hour') : undefined
}

/** Returns a point in time in a zone as text, without seconds that are zero. */
export function timeText(value: string, zone: Zone): string {
  const date = new Date(value)
  return `${formatterOf(zone, date.getUTCSeconds() > 0 ? 'medium' : 'short').format(date)}${zone === 'utc' ? ' UTC' : ''}`
}

/** Converts a point in time to the value of an input `datetime-local` in the preferred zone; blank for a blank or invalid text. */
export function toInput(value: string, zone: Zone): string {
  const date = new Date(value)
  if (Number.isNaN(date.getTime())) return ''
  const offset = zone === 'utc' ? 0 : date.getTimezoneOffset() * 60_000
  return new Date(date.getTime() - offset).toISOString().slice(0, 16)
}

/** Converts the value of an input `datetime-local` in the preferred zone to a timestamp. A blank stays blank. */
export const fromInput = (value: string, zone: Zone): string =>
  value && new Date(zone === 'utc' ? `${value}Z` : value).toISOString()

/** Shows a point in time in the preferred zone. Times within a day are shown as a distance, with the exact time as title. */
export function Time({ value, exact = false }: { value: string; exact?: boolean }) {
  const { zone } = useStore(preferences)
  const date = new Date(value)
  const full = `${formatterOf(zone, 'long').format(date)}`
  const distance = exact ? undefined : distanceOf(date.getTime(), Date.now())
  return (
    <time dateTime={value} title={full}>
      {distance ?? timeText(value, zone)}
    </time>
  )
}
