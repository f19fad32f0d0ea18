/** Above the number of names; a name can be spelled in many ways. */
const maxKept = 1_000

const formats = new Map<string, Intl.DateTimeFormat>()

/**
 * What shows the local time of a zone of the IANA database; null for another name. It is kept, because making one takes
 * longer than everything else about a condition.
 */
export function zoneFormat(zone: string): Intl.DateTimeFormat | null {
  // Offsets such as "+01:00" are zones for Intl, but no names of the database.
  if (!/^[A-Za-z]/.test(zone)) return null
  const format = formats.get(zone) ?? newFormat(zone)
  if (format && formats.size < maxKept) formats.set(zone, format)
  return format
}

function newFormat(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      weekday: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    })
  } catch {
    return null
  }
}
