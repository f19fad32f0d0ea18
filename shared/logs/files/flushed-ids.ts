import { dayMicros, dayStart, hourMicros, hourStart } from '../../core/clock.ts'
import { commonIds, idFrom, idUntil, instantOf } from '../entries/log-id.ts'
import type { ReadBudget } from '../flows/read-budget.ts'
import { groupsOfHours, type LateFlows, lateFlows, lateGroups, type RowGroup } from './file-index.ts'
import { FlowFiles } from './flow-files.ts'

/** Number of row groups whose log ids are kept. */
const keptGroups = 4

/** Log ids of the flows in files, so that a repeated report of a flushed flow is dropped (R3.4). Callers look up ids in their order. */
export class FlushedIds {
  private readonly account: string
  private readonly watermark: number
  private readonly files: FlowFiles
  private readonly ids = new Map<RowGroup, Promise<Map<string, number>>>()
  /** Row groups of the files of a day, and those that can contain flows of the hour. */
  private dayGroups: RowGroup[] = []
  private groups: RowGroup[] = []
  private day = Number.NaN
  private hour = Number.POSITIVE_INFINITY
  private late: LateFlows[] = []
  private lateFrom = Number.POSITIVE_INFINITY

  constructor(account: string, watermark: number, budget?: ReadBudget) {
    this.account = account
    this.watermark = watermark
    this.files = new FlowFiles(account, { budget })
  }

  async has(id: string): Promise<boolean> {
    return (await this.find(id)) !== null
  }

  /** Finds the row group of a flow, and the row's index in it. */
  async find(id: string): Promise<{ group: RowGroup; index: number } | null> {
    const hour = hourStart(instantOf(id))
    if (hour !== this.hour) await this.open(hour)
    for (const group of this.groups) {
      const index = id < group.first || id > group.last ? undefined : (await this.idsOf(group)).get(id)
      if (index !== undefined) return { group, index }
    }
    return null
  }

  /** Finds the row groups that can contain flows of an hour. Reads the index of whole days, because reports can have starts of many hours. */
  private async open(hour: number): Promise<void> {
    const { account, watermark } = this
    const day = dayStart(hour)
    if (day < this.lateFrom) {
      this.late.push(...(await lateFlows(account, day, this.lateFrom)).filter((late) => late.hour < watermark))
      this.lateFrom = day
    }
    if (day !== this.day) {
      const end = Math.min(day + dayMicros + hourMicros, watermark)
      this.dayGroups = end > day ? await groupsOfHours(account, day, end) : []
      this.day = day
    }
    const range = { first: idFrom('flow', hour), last: idUntil('flow', hour + hourMicros - 1) }
    this.groups = [
      ...this.dayGroups.filter((group) => group.hour === hour || group.hour === hour + hourMicros),
      ...this.late.flatMap(lateGroups).filter((group) => commonIds(group, range)),
    ]
    this.hour = hour
    this.ids.clear()
  }

  private idsOf(group: RowGroup): Promise<Map<string, number>> {
    const ids = this.ids.get(group) ?? this.files.logIds(group).then((all) => new Map(all.map((id, i) => [id, i])))
    this.ids.delete(group)
    this.ids.set(group, ids)
    for (const oldest of this.ids.keys()) if (this.ids.size > keptGroups) this.ids.delete(oldest)
    return ids
  }
}
