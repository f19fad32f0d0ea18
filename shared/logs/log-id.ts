import { randomBytes } from 'node:crypto'

export const logStreams = ['change', 'session', 'flow', 'api_request'] as const
export type LogStream = (typeof logStreams)[number]

/** First character of an entry's id in each stream (L1). */
export const streamCodes = { change: 'c', session: '5', flow: 'f', api_request: 'a' } satisfies Record<
  LogStream,
  string
>

const timeDigits = 13
/** The greatest time that fits 52 bits, in the year 2112. */
export const lastLogMicros = 2 ** 52 - 1

/**
 * 24 hexadecimal characters: 4 bits of stream, 52 bits of microseconds, 40 bits of tail (L4).
 * @throws RangeError for a time outside 52 bits
 */
export function logId(stream: LogStream, micros: number, tail: string = randomBytes(5).toString('hex')): string {
  if (!Number.isSafeInteger(micros) || micros < 0 || micros > lastLogMicros)
    throw new RangeError('The time does not fit a log id.')
  return streamCodes[stream] + micros.toString(16).padStart(timeDigits, '0') + tail
}

/** The tail of a change: its position inside the commit. */
export const positionTail = (position: number): string => position.toString(16).padStart(10, '0')

export function parseLogId(id: string): { stream: LogStream; micros: number } | null {
  const stream = logStreams.find((name) => streamCodes[name] === id[0])
  if (!stream || !/^[0-9a-f]{24}$/.test(id)) return null
  return { stream, micros: instantOf(id) }
}

/** The stream of an id that this service made. @throws RangeError for any other text */
export function streamOf(id: string): LogStream {
  const stream = logStreams.find((name) => streamCodes[name] === id[0])
  if (!stream) throw new RangeError(`${id} is no log id.`)
  return stream
}

/** The instant in an id that this service made. */
export const instantOf = (id: string): number => Number.parseInt(id.slice(1, 1 + timeDigits), 16)

/** The least text that sorts with or after every id of this instant. */
export const idFrom = (stream: LogStream, micros: number): string => logId(stream, micros, '0000000000')
export const idUntil = (stream: LogStream, micros: number): string => logId(stream, micros, 'ffffffffff')
