import { hourMicros } from '../../core/clock.ts'
import { type Key, partition } from '../../table/keys.ts'
import { putItem } from '../../table/put-item.ts'
import { queryItems } from '../../table/read.ts'
import { hourSort, parseHour, partSort } from '../blocks/block-keys.ts'
import { idFrom, idUntil, type LogStream, lastLogMicros, logStreams } from '../entries/log-id.ts'

/** Row group of a file of flows. `first` and `last` are log ids. */
export type RowGroup = { hour: number; part: number; group: number; first: string; last: string }

/** Index item of a file. `groups` and `summary` are JSON: the first and last log id of each row group, and the file's part of the manifest. */
export type FileItem = Key & { kind: 'flow_file'; groups: string; summary: string }

/** Row groups of a file with late flows that started in the hours from `firstHour` to `lastHour`. */
export type LateRange = { firstHour: number; lastHour: number; part: number; firstGroup: number; lastGroup: number }

/** Maximum number of ranges of an item, whose size is limited. Reports can have starts of any hours. */
const maxRanges = 1_000

/** Joins neighbouring ranges of the same file until they fit into an item. Readers then open some row groups in vain. */
function joinRanges(ranges: LateRange[]): LateRange[] {
  if (ranges.length <= maxRanges) return ranges
  const joined: LateRange[] = []
  for (const [i, range] of ranges.entries()) {
    const last = joined.at(-1)
    if (i % 2 === 0 || last?.part !== range.part) joined.push({ ...range })
    else Object.assign(last, { lastHour: range.lastHour, lastGroup: range.lastGroup })
  }
  return joined.length < ranges.length ? joinRanges(joined) : joined
}

/**
 * Late flows of a flushed hour: those that started outside the hour and the hour before, or that ended after the hour. `latestEnd` is the
 * hour in which the last of them ended.
 */
export type LateFlows = { hour: number; latestEnd: number; ranges: LateRange[] }

export type LateItem = Key & { kind: 'flow_late'; ranges: string }

export const filePartition = (account: string): string => partition(account, 'log.flow.file')
export const latePartition = (account: string): string => partition(account, 'log.flow.late')

const fileSort = (hour: number, part: number): string => `${hourSort(hour)}#${partSort(part)}`

/** Folders with all objects of an account (R4). */
export const archiveFolders = (account: string): string[] =>
  [...logStreams, 'manifest'].map((name) => `v1/${name}/account=${account}/`)

/** Path of the manifest of an hour (R4). */
export const manifestPath = (account: string, hour: number): string => {
  const [day = '', time] = hourSort(hour).split('T')
  return `v1/manifest/account=${account}/day=${day}/${day.replaceAll('-', '')}T${time}.json`
}

/** Path of a file (R4). */
export const logFilePath = ({
  account,
  stream,
  hour,
  part,
}: {
  account: string
  stream: LogStream
  hour: number
  part: number
}): string => {
  const [day, time] = hourSort(hour).split('T')
  return `v1/${stream}/account=${account}/day=${day}/${stream}-${day?.replaceAll('-', '')}T${time}-${part}.parquet`
}

export const rowGroups = ({ sk, groups }: FileItem): RowGroup[] =>
  JSON.parse(groups).map(([first, last]: string[], group: number) => ({
    hour: parseHour(sk.slice(0, 13)),
    part: Number(sk.slice(14)),
    group,
    first,
    last,
  }))

type File = { account: string; hour: number; part: number; summary: string }

export function putFileItem(ids: [first: string, last: string][], { account, hour, part, summary }: File) {
  const key = { pk: filePartition(account), sk: fileSort(hour, part) }
  return putItem({ ...key, kind: 'flow_file', groups: JSON.stringify(ids), summary })
}

/** Returns the index items of the files of an hour, in the order of their parts. */
export const filesOfHour = (account: string, hour: number): Promise<FileItem[]> =>
  queryItems<FileItem>(filePartition(account), { between: [hourSort(hour), `${hourSort(hour)}~`] })

/** Returns the row groups of the files that were flushed in the hours from `first` to before `end`. */
export async function groupsOfHours(account: string, first: number, end: number): Promise<RowGroup[]> {
  const between = [hourSort(first), `${hourSort(end - hourMicros)}~`] as const
  return (await queryItems<FileItem>(filePartition(account), { between })).flatMap(rowGroups)
}

/** Returns the late flows that ended in the hours from `first` to before `end`. */
export async function lateFlows(account: string, first: number, end: number): Promise<LateFlows[]> {
  const last = end > lastLogMicros ? '~' : `${hourSort(end - hourMicros)}~`
  return (await queryItems<LateItem>(latePartition(account), { between: [hourSort(first), last] })).map(readLateItem)
}

export function putLateItem(account: string, { hour, latestEnd, ranges }: LateFlows): Promise<unknown> {
  const sk = `${hourSort(latestEnd)}#${hourSort(hour)}`
  return putItem({ pk: latePartition(account), sk, kind: 'flow_late', ranges: JSON.stringify(joinRanges(ranges)) })
}

export const readLateItem = ({ sk, ranges }: LateItem): LateFlows => ({
  latestEnd: parseHour(sk.slice(0, 13)),
  hour: parseHour(sk.slice(14)),
  ranges: JSON.parse(ranges),
})

/** Returns the row groups of late flows, each for a range of hours in which flows of the group started. */
export const lateGroups = ({ hour, ranges }: LateFlows): RowGroup[] =>
  ranges.flatMap(({ firstHour, lastHour, part, firstGroup, lastGroup }) =>
    Array.from({ length: lastGroup - firstGroup + 1 }, (_, i) => ({
      hour,
      part,
      group: firstGroup + i,
      first: idFrom('flow', firstHour),
      last: idUntil('flow', lastHour + hourMicros - 1),
    })),
  )
