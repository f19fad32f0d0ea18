import { randomBytes } from 'node:crypto'

export const logStreams = ['change', 'session', 'flow', 'api_request'] as const
export type LogStream = (typeof logStreams)[number]

/** First character of the log ids of each stream (L1). */
export const streamCodes = { change: 'c', session: '5', flow: 'f', api_request: 'a' } satisfies Record<
  LogStream,
  string
>

const timeDigits = 13
/** Latest time in microseconds that fits into the 52 bits of a log id (in the year 2112). */
export const lastLogMicros = 2 ** 52 - 1

/**
 * Builds a log id in hexadecimal: 4 bits for the stream, 52 for the microseconds, 40 for the tail (L4).
 * @throws RangeError if the time does not fit into 52 bits
 */
export function logId(stream: LogStream, micros: number, tail: string = randomBytes(5).toString('hex')): string {
  if (!Number.isSafeInteger(micros) || micros < 0 || micros > lastLogMicros)
    throw new RangeError('The time is outside the range of log ids.')
  return streamCodes[stream] + micros.toString(16).padStart(timeDigits, '0') + tail
}

export const positionTail = (position: number): string => position.toString(16).padStart(10, '0')

export function parseLogId(id: string): { stream: LogStream; micros: number } | null {
  const stream = logStreams.find((name) => streamCodes[name] === id[0])
  if (!stream || !/^[0-9a-f]{24}$/.test(id)) return null
  return { stream, micros: instantOf(id) }
}

/** Returns the stream of a log id. @throws RangeError for an unknown first character */
export function streamOf(id: string): LogStream {
  const stream = logStreams.find((name) => streamCodes[name] === id[0])
  if (!stream) throw new RangeError(`${id} is not a log id.`)
  return stream
}

export const instantOf = (id: string): number => Number.parseInt(id.slice(1, 1 + timeDigits), 16)

export const idFrom = (stream: LogStream, micros: number): string => logId(stream, micros, '0000000000')
export const idUntil = (stream: LogStream, micros: number): string => logId(stream, micros, 'ffffffffff')

/** Range of log ids of one stream, including `first` and `last`. */
export type IdRange = { first: string; last: string }

/** Compares entries of different streams by the time in the id, then by the id (L2.3). */
export function compareIds(a: string, b: string): number {
  // Ids of one stream compare as texts, without copies of their times.
  const [left, right] = a[0] === b[0] ? [a, b] : [a.slice(1, 14), b.slice(1, 14)]
  if (left !== right) return left < right ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

export const clampMicros = (micros: number): number => Math.min(lastLogMicros, Math.max(0, micros))

export const idsBetween = (stream: LogStream, begin: number, end: number): IdRange | null =>
  begin > end || end < 0 || begin > lastLogMicros
    ? null
    : { first: idFrom(stream, clampMicros(begin)), last: idUntil(stream, clampMicros(end)) }

/** Returns the ids in both ranges; null if there are none. */
export function commonIds({ first, last }: IdRange, other: IdRange): IdRange | null {
  const both = { first: other.first > first ? other.first : first, last: other.last < last ? other.last : last }
  return both.first <= both.last ? both : null
}

/**
 * Returns the part of a range after the id `from`, or before it if not `ascending`, in the order of `compareIds`. Returns null if no ids
 * are left.
 */
export function idsBeyond({ first, last }: IdRange, from: string, ascending: boolean): IdRange | null {
  const micros = instantOf(from)
  const stream = streamOf(first)
  const [code, other] = [first.charAt(0), from.charAt(0)]
  const before = code < other
  const cut = code === other ? from : before ? idUntil(stream, micros) : idFrom(stream, micros)
  const exclusive = code === other || before === ascending
  const next = exclusive ? addToId(cut, ascending ? 1n : -1n) : cut
  const remaining = ascending
    ? { first: next > first ? next : first, last }
    : { first, last: next < last ? next : last }
  return remaining.first <= remaining.last ? remaining : null
}

const addToId = (id: string, by: bigint): string => (BigInt(`0x${id}`) + by).toString(16).padStart(24, '0')
