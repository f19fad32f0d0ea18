import { dayMicros, dayStart, hourMicros, hourStart } from '../core/clock.ts'
import type { IdWalk } from '../logs/blocks/block-content.ts'
import { type OpenVersion, openFlows, openVersions, putOpenVersion } from '../logs/blocks/open-set.ts'
import { SlotSource } from '../logs/blocks/slot-source.ts'
import { idFrom, idUntil, instantOf, lastLogMicros } from '../logs/entries/log-id.ts'
import { retentionMicros } from '../logs/entries/log-keys.ts'
import { filesOfHour } from '../logs/files/file-index.ts'
import { FlushedIds } from '../logs/files/flushed-ids.ts'
import { type FiledFlow, type FlowSource, flowSource, isFiled, mergeFlows } from '../logs/flows/merge-flows.ts'
import { type BufferedFlow, mergeReports } from '../logs/flows/stored-flow.ts'
import { ArchiveMismatch } from './archive-mismatch.ts'
import type { DueHour } from './due-hour.ts'
import { countedRowColumns, HourCounters } from './hour-counters.ts'
import { HourFiles, HourIndex } from './hour-files.ts'
import type { ManifestFile } from './manifest.ts'
import { readColumns } from './put-file.ts'

/** Age in microseconds after which a version of the open set is written again, because items expire (R2.5). */
const rewrittenAfter = 7 * dayMicros

const everything: IdWalk = {
  range: { first: idFrom('flow', 0), last: idUntil('flow', lastLogMicros) },
  ascending: false,
}

/** True for the first hour of a day, whose flush also handles flows whose retention has ended and old versions of the open set. */
const isFirstOfDay = (hour: number): boolean => hour % dayMicros === 0

/** Open flows of the hours in which merged flows started, in descending order of the hours. */
class OpenHours {
  private readonly due: DueHour
  /** Hours whose open flows this flush has stored. */
  private readonly stored = new Set<number>()
  private day = Number.NaN
  private versions: OpenVersion[] = []
  private hour = Number.NaN
  private flows = new Map<string, BufferedFlow>()
  private isChanged = false

  constructor(due: DueHour) {
    this.due = due
  }

  /** Opens the hour of a flow. Stores the previous hour if its open flows have changed. */
  async open(hour: number): Promise<void> {
    if (hour === this.hour) return
    await this.close()
    const { account, hour: watermark } = this.due
    this.flows.clear()
    // Reads the versions of a day together, because reports can have starts of many hours.
    if (this.day !== dayStart(hour)) {
      this.day = dayStart(hour)
      this.versions = await Array.fromAsync(openVersions(account, watermark, [this.day, this.day + dayMicros - 1]))
    }
    for (const version of this.versions)
      if (version.hour === hour)
        for (const flow of openFlows(account, version, everything)) this.flows.set(flow.sk, flow)
    this.hour = hour
    this.isChanged = false
  }

  async close(): Promise<void> {
    if (!this.isChanged) return
    const { account, hour } = this.due
    const flows = [...this.flows.values()].sort((a, b) => (a.sk < b.sk ? -1 : 1))
    await putOpenVersion(account, this.hour, hour, flows)
    this.stored.add(this.hour)
    this.isChanged = false
  }

  get(id: string): BufferedFlow | undefined {
    return this.flows.get(id)
  }

  set(flow: BufferedFlow): void {
    this.flows.set(flow.sk, flow)
    this.isChanged = true
  }

  delete(id: string): void {
    this.isChanged = this.flows.delete(id) || this.isChanged
  }

  /** Stores the flows of an hour again, unless this flush has stored them. */
  async rewrite(hour: number): Promise<void> {
    if (this.stored.has(hour)) return
    await this.open(hour)
    this.isChanged = true
  }
}

/** Finds the open flows whose retention has ended, and the hours whose versions are too old. */
async function findEnded({ account, hour }: DueHour): Promise<{ ended: BufferedFlow[]; outdated: number[] }> {
  const end = hour + hourMicros
  const ended: BufferedFlow[] = []
  const outdated: number[] = []
  for await (const version of openVersions(account, hour)) {
    if (version.parts.length > 0 && version.flushedHour <= hour - rewrittenAfter) outdated.push(version.hour)
    for (const flow of openFlows(account, version, everything)) if (retentionEnd(flow) <= end) ended.push(flow)
  }
  return { ended: ended.sort(descending), outdated }
}

const retentionEnd = ({ at }: BufferedFlow): number => at + retentionMicros('flow')

const descending = (a: { sk: string }, b: { sk: string }): number => (a.sk < b.sk ? 1 : -1)

/**
 * Writes the flows that were closed in an hour to files, and the others to the open set (R3.4). Idempotent.
 * @throws UnfinishedHour if the deadline is reached
 * @throws ArchiveMismatch if a file has different content
 */
export async function putFlowFiles(due: DueHour): Promise<ManifestFile[]> {
  const { account, hour, slots } = due
  if (slots.length === 0 && !isFirstOfDay(hour)) return []
  const files = new HourFiles(due, await filesOfHour(account, hour))
  await mergeHour(due, [], (flow) => files.add(flow))
  return files.finish()
}

/**
 * Rebuilds the index and the counters of an hour from files that an interrupted run or a lost table has written. Removes their flows from
 * the open set (R3.7).
 * @throws ArchiveMismatch if a file is missing or damaged, or lacks a flow
 */
export async function adoptFlowFiles(due: DueHour, files: ManifestFile[]): Promise<void> {
  const { account, hour } = due
  const index = new HourIndex(account, hour)
  const counters = new HourCounters(due)
  const filed = files.map((file, part) =>
    flowSource(instantOf(file.last), async () => {
      const rows = await readColumns(file, ['log_id', 'timestamp', 'flow_end', ...countedRowColumns])
      counters.add(rows)
      const flows = rows.map(({ log_id, timestamp: at, flow_end: fend }): FiledFlow => {
        // Drops the other columns, because a file has many rows.
        return { sk: String(log_id), at: Number(at), ...(typeof fend === 'number' && { fend }), row: {} }
      })
      await index.add(part, file, flows)
      return flows.reverse()
    }),
  )
  await mergeHour(due, filed, (flow) => {
    throw new ArchiveMismatch(flow.sk)
  })
  await index.finish()
  await counters.finish(true)
}

/**
 * Merges the reports of an hour with the open set and the given files, and stores the flows that remain open. Calls `close` for each flow
 * to archive.
 */
async function mergeHour(
  due: DueHour,
  filed: FlowSource[],
  close: (flow: BufferedFlow) => Promise<void>,
): Promise<void> {
  const { account, hour, slots } = due
  const flushed = new FlushedIds(account, hour)
  const open = new OpenHours(due)
  const { ended, outdated } = isFirstOfDay(hour) ? await findEnded(due) : { ended: [], outdated: [] }
  const endedIds = new Set(ended.map(({ sk }) => sk))
  const sources = slots.map((slot) => new SlotSource(account, slot, everything))
  for await (const flow of mergeFlows([...sources, flowSource(lastLogMicros, () => ended), ...filed])) {
    await open.open(hourStart(instantOf(flow.sk)))
    if (isFiled(flow)) {
      open.delete(flow.sk)
      continue
    }
    const opened = open.get(flow.sk)
    if (!opened && (await flushed.has(flow.sk))) continue
    const merged = opened ? mergeReports([opened, flow]) : flow
    const isClosed = merged.report.closing !== null
    if (isClosed || endedIds.has(flow.sk)) {
      open.delete(flow.sk)
      await close(isClosed ? merged : { ...merged, storedAt: retentionEnd(merged) })
    } else if (!opened) open.set(merged)
  }
  for (const outdatedHour of outdated) await open.rewrite(outdatedHour)
  await open.close()
}
