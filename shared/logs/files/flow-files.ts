import { archiveStore } from '../../core/aws/object-store.ts'
import { clock, hourMicros } from '../../core/clock.ts'
import { conditionColumns, type FlowCondition, matchesAll } from '../counters/flow-conditions.ts'
import { retentionMicros } from '../entries/log-keys.ts'
import type { ReadBudget } from '../flows/read-budget.ts'
import { type FileRow, groupRows } from './columns.ts'
import { logFilePath, type RowGroup } from './file-index.ts'
import { openParquet, type ParquetFile, tailBytes } from './parquet-reader.ts'

/** Number of decoded row groups that are kept, because a row group can contain both late flows and others. */
const keptGroups = 4

class MissingFile extends Error {}

/** True for a row group whose flows are not shown any more (L1). Its file can have expired. */
export const isPastRetention = ({ hour }: Pick<RowGroup, 'hour'>): boolean =>
  hour + hourMicros + retentionMicros('flow') <= clock.now()

/** Thrown when an erasure has replaced a file since it was opened. */
class ReplacedFile extends Error {}

/** Opens a file with one request, which also reads small files completely. */
async function openFile(path: string): Promise<ParquetFile> {
  const tail = await archiveStore().getTail(path, tailBytes)
  if (!tail) throw new MissingFile(`The archive has no file ${path}.`)
  const { content, size, tag } = tail
  const tailStart = size - content.length
  const read = async (start: number, end: number) => {
    if (start >= tailStart) return content.subarray(start - tailStart, end - tailStart)
    const range = await archiveStore().getRange(path, start, end, tag)
    if (!range) throw new ReplacedFile(`The file ${path} was replaced while it was read.`)
    return range
  }
  return openParquet({ size, read })
}

/** Rows that a request needs: those that match all conditions, with the given columns or all, within a budget. */
export type RowSearch = { conditions?: readonly FlowCondition[]; columns?: readonly string[]; budget?: ReadBudget }

/** Files of flows of an account, for one request. Each footer is read once. */
export class FlowFiles {
  private readonly account: string
  private readonly search: RowSearch
  private readonly files = new Map<string, Promise<ParquetFile>>()
  private readonly groups = new Map<string, Promise<FileRow[]>>()

  constructor(account: string, search: RowSearch = {}) {
    this.account = account
    this.search = search
  }

  private pathOf({ hour, part }: Pick<RowGroup, 'hour' | 'part'>): string {
    return logFilePath({ account: this.account, stream: 'flow', hour, part })
  }

  /**
   * Reads from a file. Opens the file again if it was replaced since it was opened.
   * @throws Error if the file does not exist
   */
  private async read<T>(group: RowGroup, read: (file: ParquetFile) => Promise<T>, isRepeated = false): Promise<T> {
    const path = this.pathOf(group)
    const file = this.files.get(path) ?? openFile(path)
    this.files.set(path, file)
    try {
      return await read(await file)
    } catch (error) {
      if (isRepeated || !(error instanceof ReplacedFile)) throw error
      // Keeps a file that a concurrent read has opened again.
      if (this.files.get(path) === file) this.files.delete(path)
      return this.read(group, read, true)
    }
  }

  /** Returns the matching rows of a row group in the order of their log ids; null if the budget is exhausted. */
  async rows(group: RowGroup): Promise<FileRow[] | null> {
    const { budget } = this.search
    const name = `${group.hour} ${group.part} ${group.group}`
    const kept = this.groups.get(name)
    const files = this.files.has(this.pathOf(group)) ? 0 : 1
    if (kept === undefined && budget && !budget.take({ groups: 1, rows: groupRows, files })) return null
    const rows = kept ?? this.read(group, (file) => this.matchingRows(file, group))
    this.groups.delete(name)
    this.groups.set(name, rows)
    for (const oldest of this.groups.keys()) if (this.groups.size > keptGroups) this.groups.delete(oldest)
    return rows
  }

  /** Reads the columns of the conditions first, and all others only if a row matches (R8.4). */
  private async matchingRows(file: ParquetFile, group: RowGroup): Promise<FileRow[]> {
    const { conditions = [], columns } = this.search
    if (conditions.length === 0) return file.readGroup(group.group, columns)
    const tested = await file.readGroup(group.group, [...new Set(conditions.flatMap(conditionColumns))])
    const positions = tested.flatMap((row, position) => (matchesAll(row, conditions) ? [position] : []))
    if (positions.length === 0) return []
    const rows = await file.readGroup(group.group, columns)
    return positions.map((position) => rows[position] as FileRow)
  }

  /** Returns the log ids of a row group; none if the file has expired in the bucket. @throws Error if another file does not exist */
  async logIds(group: RowGroup): Promise<string[]> {
    this.search.budget?.spend({ groups: 1 })
    const rows = await this.read(group, (file) => file.readGroup(group.group, ['log_id'])).catch((error: unknown) => {
      if (error instanceof MissingFile && isPastRetention(group)) return []
      throw error
    })
    return rows.map(({ log_id }) => String(log_id))
  }
}
