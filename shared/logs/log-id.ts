/** The first character of a log id names its stream (L1). */
export const streamMarks = { change: 'c', session: '5', flow: 'f', api_request: 'a' } as const
export type LogStream = keyof typeof streamMarks
export const logStreams = Object.keys(streamMarks) as LogStream[]

const streamOf = new Map<string, LogStream>(logStreams.map((stream) => [streamMarks[stream], stream]))

/** The last instant that fits the 52 bits of a log id, in the year 2112. */
export const lastLogMicros = 2 ** 52 - 1
export const lastTail = 2 ** 40 - 1

/** A log id of L4: stream, 52 bits of microseconds, 40 bits of tail. @throws RangeError for a time or tail that does not fit. */
export function logId(stream: LogStream, micros: number, tail: number): string {
  if (!Number.isInteger(micros) || micros < 0 || micros > lastLogMicros) throw new RangeError('A time outside 52 bits.')
  if (!Number.isInteger(tail) || tail < 0 || tail > lastTail) throw new RangeError('A tail outside 40 bits.')
  return streamMarks[stream] + micros.toString(16).padStart(13, '0') + tail.toString(16).padStart(10, '0')
}

export type LogId = { stream: LogStream; micros: number; tail: number }

/** The parts of a lower-case log id; null for anything else. */
export function parseLogId(text: string): LogId | null {
  const stream = streamOf.get(text[0] ?? '')
  if (!stream || !/^[0-9a-f]{24}$/.test(text)) return null
  return { stream, micros: Number.parseInt(text.slice(1, 14), 16), tail: Number.parseInt(text.slice(14), 16) }
}

/** Sorts entries of all streams: by time, then by id (L2.3). */
export const compareLogIds = (a: string, b: string): number => {
  const [timeA, timeB] = [a.slice(1, 14), b.slice(1, 14)]
  if (timeA !== timeB) return timeA < timeB ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}
