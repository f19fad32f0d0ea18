import { microsOf } from '../../core/clock.ts'
import { fieldsOf } from '../../core/json/is-object.ts'
import { instantOf, streamCodes } from '../../logs/log-id.ts'
import { canonicalJson } from '../log/canonical-json.ts'
import { hourLeafText, hourText, type SealedHour } from '../log/hour-leaf.ts'
import { leafHash } from '../merkle/merkle-hash.ts'
import { RangeCheck } from '../merkle/range-check.ts'
import type { Checkpoint } from '../notes/checkpoint.ts'
import { parseEntryLine } from './export-line.ts'
import type { ExportSeal } from './export-seal.ts'
import type { SealedMarks } from './sealed-marks.ts'

/** A statement of an export that does not hold, by its line (from 1) and the `log_id` in it. */
export class ExportFault extends Error {
  readonly line: number | null
  readonly logId: string | null

  constructor(message: string, line: number | null = null, logId: string | null = null) {
    super(message)
    this.line = line
    this.logId = logId
  }
}

type Stream = ExportSeal['stream']
type Entry = { logId: string; hash: Buffer }

/** Throws for the current entry. */
type Refuse = (message: string) => never
type RefuseEntry = (message: string, logId?: string) => never

/** The entry of a value in its canonical form. */
function readEntry(value: unknown, canonical: string, stream: Stream, refuse: RefuseEntry): Entry {
  const { type, log_id: logId } = fieldsOf(value)
  if (typeof logId !== 'string' || !/^[0-9a-f]{24}$/.test(logId)) return refuse('is no entry')
  if (type !== stream || logId[0] !== streamCodes[stream]) return refuse(`is no ${stream} entry`, logId)
  return { logId, hash: leafHash(canonical) }
}

/** Ends of the range that are proven: the log has nothing between them and the entries. */
export type ProvenEnds = { begin: boolean; end: boolean }

type HourCheck = { hour: SealedHour; check: RangeCheck; count: number }

/** Compares the entries of an export with its checkpoint, line by line, in memory for a few hashes. */
export class ExportCheck {
  /** Roots of the log at the requested sizes, empty where the export does not lead through that size. */
  readonly roots: Map<number, Buffer>
  readonly proven: ProvenEnds
  private readonly seal: ExportSeal
  private readonly marks: SealedMarks
  private readonly log: RangeCheck
  private readonly hours: HourCheck[]
  private hoursDone = 0
  private readonly range: { begin: number; end: number }
  private lines = 0
  private newest: Entry | null = null

  /** @throws ExportFault for a seal that does not fit its checkpoint */
  constructor(seal: ExportSeal, { size, root }: Checkpoint, marks: SealedMarks, sizes: number[] = []) {
    this.seal = seal
    this.marks = marks
    this.roots = new Map(sizes.map((one) => [one, Buffer.alloc(0)]))
    this.range = { begin: microsOf(seal.range.begin), end: microsOf(seal.range.end) }
    const { first, last } = seal
    try {
      this.log = new RangeCheck({ size, root, ...(first && { first }), ...(last && { last }) }, this.roots)
      this.hours = seal.log === 'activity' ? this.hoursOf(this.log) : []
    } catch (error) {
      if (error instanceof ExportFault) throw error
      throw new ExportFault('The proofs of the export do not fit the size of its checkpoint.')
    }
    const [isFirst, isLast] = [!first || first.leaf_index === 0, !last || last.leaf_index === size - 1]
    this.proven = {
      begin: seal.before !== null || (isFirst && !seal.begin?.leaf_index),
      end: seal.after !== null || (isLast && this.endsLastHour()),
    }
    if (seal.before) this.addNeighbour('before', seal.before, (instant) => instant < this.range.begin)
  }

  /** The hours of the export's own stream; all of them are leaves of the log. */
  private hoursOf(log: RangeCheck): HourCheck[] {
    const { hours = [], stream, begin, end } = this.seal
    for (const hour of hours) log.add(leafHash(hourLeafText(hour)))
    if (!log.holds()) throw new ExportFault('The hours of the export do not lead to the root of its checkpoint.')
    const own = hours.filter((hour) => hour.stream === stream)
    return own.map((hour, i) => {
      const [first, last] = [i === 0 ? begin : undefined, i === own.length - 1 ? end : undefined]
      const check = new RangeCheck({
        size: hour.size,
        root: Buffer.from(hour.root, 'base64'),
        ...(first && { first }),
        ...(last && { last }),
      })
      return { hour, check, count: (last?.leaf_index ?? hour.size - 1) + 1 - (first?.leaf_index ?? 0) }
    })
  }

  private endsLastHour(): boolean {
    const { end } = this.seal
    return !end || end.leaf_index === (this.hours.at(-1)?.hour.size ?? 0) - 1
  }

  /** @throws ExportFault for an entry beside the range that is not where it is said to be */
  private addNeighbour(side: 'before' | 'after', value: unknown, isOutside: (instant: number) => boolean): void {
    const refuse = (message: string, logId: string | null = null): never => {
      throw new ExportFault(`The entry ${side} the range ${message}.`, null, logId)
    }
    const entry = readEntry(value, canonicalJson(value), this.seal.stream, refuse)
    if (!isOutside(instantOf(entry.logId))) refuse('is in the range', entry.logId)
    this.addLeaf(entry, (message) => refuse(message, entry.logId))
  }

  add(line: string): void {
    const number = ++this.lines
    const refuse = (message: string, logId: string | null = null): never => {
      throw new ExportFault(message, number, logId)
    }
    const parsed = parseEntryLine(line)
    if (!parsed)
      throw refuse(
        'is not in the form of an export: invalid JSON, a repeated name, or another order, spelling or white space',
      )
    const entry = readEntry(parsed.entry, parsed.canonical, this.seal.stream, refuse)
    const { logId, hash } = entry
    if (this.newest && logId <= this.newest.logId) refuse('is not in order', logId)
    const isSealed = number > this.seal.entries ? null : this.marks.isNext(hash)
    if (isSealed === null) refuse('exceeds the number of sealed entries', logId)
    if (!isSealed) refuse('is not the entry that was sealed at this place', logId)
    const instant = instantOf(logId)
    if (instant < this.range.begin || instant > this.range.end) refuse('is not in the range of the export', logId)
    this.addLeaf(entry, (message) => refuse(message, logId))
  }

  private addLeaf(entry: Entry, refuse: Refuse): void {
    this.newest = entry
    if (this.seal.log === 'changes') this.log.add(entry.hash)
    else this.addToHour(entry, refuse)
  }

  private addToHour({ logId, hash }: Entry, refuse: Refuse): void {
    const current = this.hours[this.hoursDone]
    if (!current || current.hour.hour !== hourText(instantOf(logId)))
      throw refuse('belongs to an hour that was not sealed')
    current.check.add(hash)
    current.count--
    if (current.count > 0) return
    if (!current.check.holds()) refuse(`ends an hour that does not hold (${current.hour.hour})`)
    this.hoursDone++
  }

  /** Completes the check: the entries were all of the range. @throws ExportFault */
  end(): void {
    const { entries, after } = this.seal
    const at = [this.lines || null, this.newest?.logId ?? null] as const
    if (this.lines < entries)
      throw new ExportFault(`${entries - this.lines} entries are missing behind this one`, ...at)
    if (after) this.addNeighbour('after', after, (instant) => instant > this.range.end)
    if (this.hoursDone < this.hours.length) throw new ExportFault('Entries of a sealed hour are missing', ...at)
    if (this.seal.log === 'changes' && !this.log.holds()) {
      throw new ExportFault('The entries up to this one do not lead to the root of the checkpoint', ...at)
    }
  }
}
