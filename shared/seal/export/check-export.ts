import { canonicalJson } from '../log/canonical-json.ts'
import { hourLeafText, hourText, type SealedHour } from '../log/hour-leaf.ts'
import { leafHash } from '../merkle/merkle-hash.ts'
import { RangeCheck } from '../merkle/range-check.ts'
import type { Checkpoint } from '../notes/checkpoint.ts'
import type { ExportSeal } from './export-seal.ts'
import type { SealedMarks } from './sealed-marks.ts'

/** What does not hold, by its line (from 1) and the `log_id` in it. */
export class ExportFault extends Error {
  readonly line: number | null
  readonly logId: string | null

  constructor(message: string, line: number | null = null, logId: string | null = null) {
    super(message)
    this.line = line
    this.logId = logId
  }
}

const micros = (logId: string): number => Number.parseInt(logId.slice(1, 14), 16)
const codes = { change: 'c', session: '5', api_request: 'a' }

type Entry = { line: number; logId: string; hash: Buffer }

function readEntry(line: string, number: number, stream: ExportSeal['stream']): Entry {
  let entry: unknown
  try {
    entry = JSON.parse(line)
  } catch {
    throw new ExportFault('is no JSON', number)
  }
  const { type, log_id: logId } = (typeof entry === 'object' && entry !== null ? entry : {}) as Record<string, unknown>
  if (typeof logId !== 'string' || !/^[0-9a-f]{24}$/.test(logId)) throw new ExportFault('is no entry', number)
  if (type !== stream || logId[0] !== codes[stream]) throw new ExportFault(`is no ${stream} entry`, number, logId)
  try {
    return { line: number, logId, hash: leafHash(canonicalJson(entry)) }
  } catch {
    throw new ExportFault('has no canonical form', number, logId)
  }
}

/**
 * Holds the entries of an export against its checkpoint, line by line. Of the log it keeps a few hashes.
 * @throws ExportFault at the first that does not hold
 */
export class ExportCheck {
  /** Roots of the log at the sizes that were asked for, empty where the export does not lead through that size. */
  readonly roots: Map<number, Buffer>
  private readonly seal: ExportSeal
  private readonly marks: SealedMarks
  private readonly log: RangeCheck | null
  private readonly hours: { hour: SealedHour; check: RangeCheck; count: number }[]
  private lines = 0
  private newest: Entry | null = null

  /** @throws ExportFault for a seal that does not fit its checkpoint */
  constructor(seal: ExportSeal, { size, root }: Checkpoint, marks: SealedMarks, sizes: number[] = []) {
    this.seal = seal
    this.marks = marks
    this.roots = new Map(sizes.map((one) => [one, Buffer.alloc(0)]))
    const { first, last } = seal
    try {
      this.log = first && last ? new RangeCheck({ size, root, first, last }, this.roots) : null
      this.hours = seal.log === 'activity' && this.log ? this.hoursOf(this.log) : []
    } catch (error) {
      if (error instanceof ExportFault) throw error
      throw new ExportFault('The proofs of the export fit no tree of the size of its checkpoint.')
    }
    if (!this.log && seal.entries > 0) throw new ExportFault('The export has entries and no proof of them.')
  }

  /** The hours of the export's own stream; all of them are leaves of the log. */
  private hoursOf(log: RangeCheck) {
    const { hours = [], stream, begin, end } = this.seal
    for (const hour of hours) log.add(leafHash(hourLeafText(hour)))
    if (!log.holds()) throw new ExportFault('The hours of the export do not lead to the root of its checkpoint.')
    const own = hours.filter((hour) => hour.stream === stream)
    return own.map((hour, i) => {
      const [first, last] = [i === 0 ? begin : undefined, i === own.length - 1 ? end : undefined]
      const check = new RangeCheck({ size: hour.size, root: Buffer.from(hour.root, 'base64'), first, last })
      return { hour, check, count: (last?.leaf_index ?? hour.size - 1) + 1 - (first?.leaf_index ?? 0) }
    })
  }

  add(line: string): void {
    const entry = readEntry(line, ++this.lines, this.seal.stream)
    const { line: number, logId, hash } = entry
    const fault = (message: string) => new ExportFault(message, number, logId)
    if (this.newest && logId <= this.newest.logId) throw fault('is not in order')
    const isSealed = number > this.seal.entries ? null : this.marks.isNext(hash)
    if (isSealed === null) throw fault('is an entry more than were sealed')
    if (!isSealed) throw fault('is not the entry that was sealed at this place')
    this.newest = entry
    if (this.seal.log === 'changes') this.log?.add(hash)
    else this.addToHour(entry, fault)
  }

  private addToHour({ logId, hash }: Entry, fault: (message: string) => ExportFault): void {
    const current = this.hours[0]
    if (!current || current.hour.hour !== hourText(micros(logId))) throw fault('is of an hour that was not sealed')
    current.check.add(hash)
    current.count--
    if (current.count > 0) return
    if (!current.check.holds()) throw fault(`ends an hour that does not hold (${current.hour.hour})`)
    this.hours.shift()
  }

  /** Tells that the entries were all of the range. @throws ExportFault */
  end(): void {
    const { entries } = this.seal
    const logId = this.newest?.logId ?? null
    if (this.lines < entries)
      throw new ExportFault(`${entries - this.lines} entries are missing behind this one`, this.lines, logId)
    if (this.hours.length > 0) throw new ExportFault('Entries of a sealed hour are missing', this.lines, logId)
    if (this.seal.log === 'changes' && this.log && !this.log.holds()) {
      throw new ExportFault('The entries up to this one do not lead to the root of the checkpoint', this.lines, logId)
    }
  }
}
