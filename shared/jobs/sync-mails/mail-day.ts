import { dayMicros } from '../../core/clock.ts'

/** Mails go out in this hour of the day (UTC). */
const hour = 9
const hourMicros = dayMicros / 24

const dayOf = (micros: number): number => Math.floor(micros / dayMicros)
/** The first day of 1970 was a Thursday. */
const isMonday = (day: number): boolean => (day + 3) % 7 === 0

/**
 * Whether the administrators are mailed now about an error that stands (I8.1): daily while fewer than three mails were sent
 * for it, every three days from three to six, on Mondays from seven to nine, and then no more. One a day, whatever runs twice.
 * @param mails how many were sent for this error
 * @param lastAt when the last of them was, in microseconds; null before the first
 */
export function isMailDue(mails: number, lastAt: number | null, now: number): boolean {
  const today = dayOf(now)
  if (Math.floor((now - today * dayMicros) / hourMicros) !== hour) return false
  const since = lastAt === null ? Number.POSITIVE_INFINITY : today - dayOf(lastAt)
  if (mails < 3) return since >= 1
  if (mails < 7) return since >= 3
  return mails < 10 && isMonday(today) && since >= 1
}
