const minuteMicros = 60_000_000
const twoHours = 120 * minuteMicros

/** The next instant after `now` at this minute of an even hour (UTC), both in microseconds (I4.1). */
export function nextSlot(minute: number, now: number): number {
  const slot = Math.floor(now / twoHours) * twoHours + minute * minuteMicros
  return slot > now ? slot : slot + twoHours
}
