import { idFrom, idUntil, instantOf, type LogStream, lastLogMicros, streamOf } from './log-id.ts'

/** Ids of one stream, both ends included. */
export type IdRange = { first: string; last: string }

/** Order of entries across streams: the time in the id, then the id (L2.3). */
export function compareIds(a: string, b: string): number {
  const [left, right] = [a.slice(1, 14), b.slice(1, 14)]
  if (left !== right) return left < right ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

export const clampMicros = (micros: number): number => Math.min(lastLogMicros, Math.max(0, micros))

/** The ids of entries from `begin` to `end`; null where there are none. */
export const idsBetween = (stream: LogStream, begin: number, end: number): IdRange | null =>
  begin > end || end < 0 || begin > lastLogMicros
    ? null
    : { first: idFrom(stream, clampMicros(begin)), last: idUntil(stream, clampMicros(end)) }

/** The part of a range beyond an entry: an id of another stream cuts by time, then by its first character. */
export function beyond({ first, last }: IdRange, from: string, ascending: boolean): IdRange | null {
  const micros = instantOf(from)
  const stream = streamOf(first)
  const [code, other] = [first.charAt(0), from.charAt(0)]
  const before = code < other
  const cut = code === other ? from : before ? idUntil(stream, micros) : idFrom(stream, micros)
  const exclusive = code === other || before === ascending
  const rest = ascending
    ? { first: later(exclusive ? step(cut, 1n) : cut, first), last }
    : { first, last: earlier(exclusive ? step(cut, -1n) : cut, last) }
  return rest.first <= rest.last ? rest : null
}

const later = (a: string, b: string): string => (compareIds(a, b) > 0 ? a : b)
const earlier = (a: string, b: string): string => (compareIds(a, b) < 0 ? a : b)
const step = (id: string, by: bigint): string => (BigInt(`0x${id}`) + by).toString(16).padStart(24, '0')
