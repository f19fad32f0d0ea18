import { microsOf } from '../../core/clock.ts'
import { fieldsOf } from '../../core/json/is-object.ts'
import { instantOf, streamCodes } from '../../logs/entries/log-id.ts'
import { canonicalJson } from '../log/canonical-json.ts'
import { hourLeafText, hourText } from '../log/sealed-log.ts'
import { leafHash } from '../merkle/merkle-proof.ts'
import { RangeCheck } from '../merkle/range-check.ts'
import type { Checkpoint } from '../notes/checkpoint.ts'
import { type ExportSeal, parseEntryLine } from './export-seal.ts'

/** Thrown for an export that failed verification. `line` (from 1) and `logId` locate the fault; null if unknown. */
export class ExportFault extends Error {
  readonly line: number | null
  readonly logId: string | null

  constructor(message: string, line: number | null = null, logId: string | null = null) {
    super(message)
    this.line = line
    this.logId = logId
  }
}

type Entry = { logId: string; hash: Buffer }

type CreateFault = (message: string, logId?: string) => ExportFault

/**
 * For each end of the range, true if the export is proven complete there: the log has no further entry between this end and the exported
 * entries.
 */
export type ProvenEnds = { begin: boolean; end: boolean }

/** Verifies the entries of an export against the checkpoint, line by line. Keeps only a few hashes in memory. */
export class ExportCheck {
  readonly proven: ProvenEnds
  /** Roots, keyed by tree size. Contains the requested sizes that the exported leaves reach. */
  readonly roots: Map<number, Buffer>
  private readonly seal: ExportSeal
  private readonly marks: Generator<Buffer>
  private readonly log: RangeCheck
  private readonly hours: { hour: string; check: RangeCheck }[]
  private hoursDone = 0
  private readonly range: { begin: number; end: number }
  private lines = 0
  private lastLogId: string | null = null

  /**
   * @param marks the first bytes of each sealed leaf hash
   * @param sizes tree sizes whose roots the caller needs
   * @throws ExportFault if the proofs of the seal do not match the checkpoint
   */
  constructor(seal: ExportSeal, { size, root }: Checkpoint, marks: Generator<Buffer>, sizes: number[]) {
    this.seal = seal
    this.marks = marks
    this.range = { begin: microsOf(seal.range.begin), end: microsOf(seal.range.end) }
    const { first, last, before, after, begin, end, hours = [] } = seal
    try {
      this.log = new RangeCheck({ size, root, first, last }, sizes)
      for (const hour of hours) this.log.add(leafHash(hourLeafText(hour)))
      if (seal.log === 'activity' && !this.log.isValid())
        throw new ExportFault('The hours of the export do not match the root of its checkpoint.')
      this.hours = this.streamHours()
    } catch (error) {
      if (error instanceof ExportFault) throw error
      throw new ExportFault('The proofs of the export do not match the size of its checkpoint.')
    }
    this.roots = this.log.roots
    const [isFirst, isLast] = [!first || first.leaf_index === 0, !last || last.leaf_index === size - 1]
    const lastHour = hours.findLast(({ stream }) => stream === seal.stream)
    this.proven = {
      begin: before !== null || (isFirst && !begin?.leaf_index),
      end: after !== null || (isLast && (!end || end.leaf_index === (lastHour?.size ?? 0) - 1)),
    }
    this.addNeighbour('before')
  }

  private streamHours() {
    const { hours = [], stream, begin, end } = this.seal
    const hoursOfStream = hours.filter((hour) => hour.stream === stream)
    return hoursOfStream.map(({ hour, size, root }, i) => {
      const [first, last] = [i === 0 ? begin : undefined, i === hoursOfStream.length - 1 ? end : undefined]
      return { hour, check: new RangeCheck({ size, root: Buffer.from(root, 'base64'), first, last }) }
    })
  }

  /**
   * Adds the entry directly before or after the range. @throws ExportFault if the entry is malformed, inside the range or not in a sealed
   * hour
   */
  private addNeighbour(side: 'before' | 'after'): void {
    const value = this.seal[side]
    if (!value) return
    const createFault: CreateFault = (message, logId) =>
      new ExportFault(`The entry ${side} the range ${message}.`, null, logId ?? null)
    const entry = this.readEntry(value, canonicalJson(value), createFault)
    const instant = instantOf(entry.logId)
    const isOutside = side === 'before' ? instant < this.range.begin : instant > this.range.end
    if (!isOutside) throw createFault('is in the range', entry.logId)
    this.addLeaf(entry, createFault)
  }

  add(line: string): void {
    const number = ++this.lines
    const createFault: CreateFault = (message, logId) => new ExportFault(message, number, logId ?? null)
    const parsed = parseEntryLine(line)
    if (!parsed)
      throw createFault(
        'is not in the form of an export: invalid JSON, a repeated name, or another order, spelling or white space',
      )
    const entry = this.readEntry(parsed.entry, parsed.canonical, createFault)
    const { logId, hash } = entry
    if (this.lastLogId !== null && logId <= this.lastLogId) throw createFault('is not in order', logId)
    const mark: Buffer | undefined = number > this.seal.entries ? undefined : this.marks.next().value
    if (!mark) throw createFault('exceeds the number of sealed entries', logId)
    if (!hash.subarray(0, mark.length).equals(mark))
      throw createFault('is not the entry that was sealed at this position', logId)
    const instant = instantOf(logId)
    if (instant < this.range.begin || instant > this.range.end)
      throw createFault('is not in the range of the export', logId)
    this.addLeaf(entry, createFault)
  }

  private readEntry(value: unknown, canonical: string, createFault: CreateFault): Entry {
    const { stream } = this.seal
    const { type, log_id: logId } = fieldsOf(value)
    if (typeof logId !== 'string' || !/^[0-9a-f]{24}$/.test(logId)) throw createFault('is not an entry')
    if (type !== stream || logId[0] !== streamCodes[stream]) throw createFault(`is not a ${stream} entry`, logId)
    return { logId, hash: leafHash(canonical) }
  }

  private addLeaf({ logId, hash }: Entry, createFault: CreateFault): void {
    this.lastLogId = logId
    if (this.seal.log === 'changes') {
      this.log.add(hash)
      return
    }
    const { hour, check } = this.hours[this.hoursDone] ?? {}
    if (!check || hour !== hourText(instantOf(logId)))
      throw createFault('belongs to an hour that was not sealed', logId)
    check.add(hash)
    if (!check.isComplete) return
    if (!check.isValid()) throw createFault(`ends an hour whose entries do not match its sealed hash (${hour})`, logId)
    this.hoursDone++
  }

  /** Completes the check after the last line. @throws ExportFault if entries are missing or the root differs */
  end(): void {
    const { entries, log } = this.seal
    const at = [this.lines || null, this.lastLogId] as const
    if (this.lines < entries) throw new ExportFault(`${entries - this.lines} entries are missing after this one`, ...at)
    this.addNeighbour('after')
    if (this.hoursDone < this.hours.length) throw new ExportFault('Entries of a sealed hour are missing', ...at)
    if (log === 'changes' && !this.log.isValid()) {
      throw new ExportFault('The entries up to this one do not match the root of the checkpoint', ...at)
    }
  }
}
