import { clock, hourMicros, hourStart } from '../core/clock.ts'
import { instantOf } from '../logs/entries/log-id.ts'
import { fileLimits, groupRows } from '../logs/files/columns.ts'
import { type FileItem, type LateRange, logFilePath, putFileItem, putLateItem } from '../logs/files/file-index.ts'
import { flowRow } from '../logs/files/flow-row.ts'
import type { BufferedFlow } from '../logs/flows/stored-flow.ts'
import { type AttributionReader, attributionReader } from '../logs/render-entries.ts'
import { rowLeaf } from '../seal/log/row-leaf.ts'
import { ArchiveMismatch } from './archive-mismatch.ts'
import type { DueHour } from './due-hour.ts'
import { HourCounters } from './hour-counters.ts'
import type { ManifestFile } from './manifest.ts'
import { putFile } from './put-file.ts'

/** Thrown when a run ends before the hour is flushed. The next run continues after the last complete file. */
export class UnfinishedHour extends Error {}

/** Ids and end of a flow, from which the index of its file is built. */
export type IndexedFlow = Pick<BufferedFlow, 'sk' | 'fend'>

/** Index of the files of flows of one hour: the row groups of each file, and the late flows. */
export class HourIndex {
  private readonly account: string
  private readonly hour: number
  private readonly late: LateRange[] = []
  private latestEnd = 0

  constructor(account: string, hour: number) {
    this.account = account
    this.hour = hour
  }

  /** Stores the index item of a file, whose flows are in the order of their log ids. Idempotent. */
  async add(part: number, file: ManifestFile, flows: IndexedFlow[]): Promise<void> {
    const { account, hour } = this
    const groups: [first: string, last: string][] = []
    for (let at = 0; at < flows.length; at += groupRows) {
      const last = flows[Math.min(at + groupRows, flows.length) - 1]
      groups.push([flows[at]?.sk ?? '', last?.sk ?? ''])
    }
    await putFileItem(groups, { account, hour, part, summary: JSON.stringify(file) })
    for (const [i, { sk, fend = 0 }] of flows.entries()) {
      const start = instantOf(sk)
      const started = hourStart(start)
      if ((started === hour || started === hour - hourMicros) && fend <= hour + hourMicros) continue
      const group = Math.floor(i / groupRows)
      const range = this.late.at(-1)
      if (range?.part === part && range.lastHour === started) range.lastGroup = group
      else this.late.push({ firstHour: started, lastHour: started, part, firstGroup: group, lastGroup: group })
      this.latestEnd = Math.max(this.latestEnd, hourStart(Math.max(start, fend)))
    }
  }

  /** Stores the index of the late flows. Idempotent. */
  async finish(): Promise<void> {
    const { account, hour, latestEnd } = this
    if (this.late.length === 0) return
    await putLateItem(account, { hour, latestEnd, ranges: this.late })
  }
}

/** Files of the flows of one hour. Flows arrive in descending order of their log ids, so part 0 contains the newest flows. */
export class HourFiles {
  private readonly due: Omit<DueHour, 'slots'>
  private readonly written: FileItem[]
  private readonly files: ManifestFile[] = []
  private readonly index: HourIndex
  private readonly counters: HourCounters
  private readonly readAttributions: AttributionReader
  private buffer: BufferedFlow[] = []

  /** @param written index items of the files that an earlier run has written */
  constructor(due: Omit<DueHour, 'slots'>, written: FileItem[]) {
    this.due = due
    this.written = written
    this.index = new HourIndex(due.account, due.hour)
    this.counters = new HourCounters(due)
    this.readAttributions = attributionReader(due.account)
  }

  /** @throws UnfinishedHour, ArchiveMismatch */
  async add(flow: BufferedFlow): Promise<void> {
    this.buffer.push(flow)
    if (this.buffer.length === fileLimits.rows) await this.write()
  }

  /** Writes the last file, the index of late flows and the counters. Returns all files. @throws UnfinishedHour, ArchiveMismatch */
  async finish(): Promise<ManifestFile[]> {
    if (this.buffer.length > 0) await this.write()
    if (this.written.length > this.files.length) throw new ArchiveMismatch(this.pathOf(this.files.length))
    await this.index.finish()
    await this.counters.finish()
    return this.files
  }

  private pathOf(part: number): string {
    return logFilePath({ ...this.due, stream: 'flow', part })
  }

  private async write(): Promise<void> {
    const { due, files } = this
    const { account, hour, deadline, erasures } = due
    const part = files.length
    const flows = this.buffer.reverse()
    this.buffer = []
    const existing: ManifestFile | undefined = JSON.parse(this.written[part]?.summary ?? 'null') ?? undefined
    if (existing && (existing.rows !== flows.length || existing.first !== flows[0]?.sk))
      throw new ArchiveMismatch(existing.key)
    if (!existing && clock.monotonic() > deadline) throw new UnfinishedHour()
    const attributions = await this.readAttributions(flows)
    const rows = flows.map((flow) => flowRow(flow, attributions.get(flow.ids.policy_authorization_id)))
    const archived = () => rows.map((row) => ({ row, leaf: rowLeaf('flow', row) }))
    const file = existing ?? (await putFile({ account, stream: 'flow', hour, part }, archived(), erasures))
    await this.index.add(part, file, flows)
    this.counters.add(rows)
    files.push(file)
  }
}
