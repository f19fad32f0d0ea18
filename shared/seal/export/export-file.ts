import { isUtf8 } from 'node:buffer'
import { closeSync, openSync, readSync, statSync } from 'node:fs'

/** Signals a file that cannot be verified: missing, unreadable, not an export, or larger than an export can be. */
export class NoExport extends Error {}

const lineFeed = 10
const step = 65_536

/** Above the largest entry: a change has at most 1,000,000 bytes of snapshots (L2.7), which escapes can make longer. */
const maxEntryLine = 8_388_608

/** Opens the file, runs `work`, closes it. @throws NoExport for a file that cannot be read */
export function withFile<T>(path: string, work: (file: number, size: number) => T): T {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats && !stats.isFile()) throw new NoExport(`${path} is no file.`)
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    throw new NoExport(`${path} cannot be read.`)
  }
  try {
    return work(file, stats?.size ?? 0)
  } finally {
    closeSync(file)
  }
}

/** The bytes between two offsets, in memory of their own or in `into`, which they fit. */
export function readPart(
  file: number,
  begin: number,
  end: number,
  into = Buffer.alloc(Math.max(0, end - begin)),
): Buffer {
  return into.subarray(0, readSync(file, into, 0, Math.max(0, end - begin), begin))
}

/** Decodes bytes as text. @throws NoExport for invalid UTF-8, which would be read as other characters */
export function textOf(path: string, bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new NoExport(`${path} is no text in UTF-8.`)
  return bytes.toString('utf8')
}

/** Position of the last line, without its line feed. */
type LastLine = { begin: number; end: number; isEnded: boolean }

/** @throws NoExport for an empty file, and for a last line above `maxBytes` */
export function findLastLine(path: string, file: number, size: number, maxBytes: number): LastLine {
  if (size === 0) throw new NoExport(`${path} is empty.`)
  const isEnded = readPart(file, size - 1, size)[0] === lineFeed
  const end = isEnded ? size - 1 : size
  const part = Buffer.alloc(step)
  for (let at = end; at > 0; at -= step) {
    if (end - at > maxBytes) throw new NoExport(`${path}: The last line is longer than ${maxBytes} bytes.`)
    const from = Math.max(0, at - step)
    const found = readPart(file, from, at, part).lastIndexOf(lineFeed)
    if (found >= 0) return { begin: from + found + 1, end, isEnded }
  }
  return { begin: 0, end, isEnded }
}

/** The lines of a file up to an offset, read in linear time and bounded memory. @throws NoExport for a line longer than any entry */
export function* linesUntil(path: string, end: number): Generator<string> {
  const file = openSync(path, 'r')
  try {
    const part = Buffer.alloc(step)
    let [rest, length, number]: [Buffer[], number, number] = [[], 0, 1]
    const lineOf = (last: Buffer): string => {
      const text = textOf(`${path}, line ${number++}`, rest.length > 0 ? Buffer.concat([...rest, last]) : last)
      ;[rest, length] = [[], 0]
      return text
    }
    for (let at = 0; at < end; ) {
      const bytes = readPart(file, at, Math.min(end, at + step), part)
      if (bytes.length === 0) throw new NoExport(`${path} became shorter while it was read.`)
      at += bytes.length
      let from = 0
      for (let to = bytes.indexOf(lineFeed); to >= 0; to = bytes.indexOf(lineFeed, from)) {
        yield lineOf(bytes.subarray(from, to))
        from = to + 1
      }
      if (from === bytes.length) continue
      rest.push(Buffer.from(bytes.subarray(from)))
      length += bytes.length - from
      if (length > maxEntryLine) throw new NoExport(`${path}: Line ${number} is longer than ${maxEntryLine} bytes.`)
    }
    if (length > 0) yield lineOf(Buffer.alloc(0))
  } finally {
    closeSync(file)
  }
}
