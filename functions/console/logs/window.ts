/** Window of time in an address. Its times are absolute, so that the address shows the same later (K5.1). */
export type Window = { begin: string; end: string }

export const hour = 3_600_000

/** Returns the window of the last hours, up to the end of the current hour. */
export function lastHours(count: number, now: number): Window {
  const end = Math.ceil(now / hour) * hour
  return { begin: new Date(end - count * hour).toISOString(), end: new Date(end).toISOString() }
}

/** Extends a window to whole hours (R9.6). A blank or invalid window is that of the last 24 hours. */
export function wholeHours({ begin, end }: Partial<Window>, now: number): Window {
  const last = Date.parse(end ?? '') || now
  const first = Date.parse(begin ?? '') || Math.ceil(last / hour) * hour - 24 * hour
  const [from, until] = [Math.floor(first / hour) * hour, Math.ceil(last / hour) * hour]
  return { begin: new Date(from).toISOString(), end: new Date(until > from ? until : from + hour).toISOString() }
}
