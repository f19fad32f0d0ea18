import { clock, dayMicros, dayStart, hourMicros } from '../../core/clock.ts'
import { inParallel } from '../../core/work/in-parallel.ts'
import { type Key, partition } from '../../table/keys.ts'
import { ifMet, putItem } from '../../table/put-item.ts'
import { queryItems } from '../../table/read.ts'
import type { ArchiveView } from '../blocks/archive-view.ts'
import { bufferTtl, hourSort, parseHour, partSort } from '../blocks/block-keys.ts'
import { dayOf, retentionMicros } from '../entries/log-keys.ts'
import { type CountContent, contentSize, decodeCounts, encodeContent, encodeCounts } from './count-content.ts'
import { type CountedDimension, countedDimensions } from './dimensions.ts'
import { type HourCounts, mergeCounts } from './value-counts.ts'

type CountItem = Key & CountContent & { kind: 'flow_count'; ttl: number }

/**
 * Counters by the hour in which their flows started, or counters of late flows by the flushed hour. Each kind has items of hours and merged
 * items of days.
 */
export type CountKind = 'usual' | 'late'
const prefixes = { usual: { day: 'day#', hour: '' }, late: { day: 'late_day#', hour: 'late#' } } as const

const countPartition = (account: string, dimension: CountedDimension): string =>
  partition(account, 'log.flow.count', dimension)

/** True for a flow that started so long before the flushed hour that its counters are late. */
export const isLateStart = (hour: number, flushedHour: number): boolean => hour < flushedHour - hourMicros

/** Start of the first day without merged items. The flush of a day's first hour merges the items of the day before. */
export const mergedUntil = (watermark: number): number => dayStart(Math.max(0, watermark - hourMicros))

const concurrency = 4

type CountOwner = { account: string; dimension: CountedDimension; onlyNew?: boolean }

/** Stores counters, in several items if one is too small. Idempotent. With `onlyNew`, existing items remain. */
async function putCounts(
  { account, dimension, onlyNew }: CountOwner,
  sort: string,
  hours: HourCounts[],
  ttl: number,
): Promise<void> {
  if (hours.length === 0) return
  const pk = countPartition(account, dimension)
  for (const [part, content] of encodeCounts(hours).entries()) {
    const sk = part === 0 ? sort : `${sort}#${partSort(part)}`
    const item: CountItem = { pk, sk, kind: 'flow_count', ...content, ttl }
    await ifMet(putItem(item, onlyNew ? { ConditionExpression: 'attribute_not_exists(pk)' } : {}))
  }
}

/** Stores the counters of a flushed hour. Idempotent. With `onlyNew`, existing items remain. */
export async function putHourCounts(
  account: string,
  flushedHour: number,
  counts: Iterable<readonly [CountedDimension, HourCounts[]]>,
  onlyNew = false,
): Promise<void> {
  await inParallel(counts, concurrency, async ([dimension, hours]) => {
    const owner = { account, dimension, onlyNew }
    for (const counted of hours)
      if (!isLateStart(counted.hour, flushedHour)) {
        const ttl = bufferTtl(Math.max(counted.hour, clock.now()))
        await putCounts(owner, `${hourSort(counted.hour)}#${hourSort(flushedHour)}`, [counted], ttl)
      }
    const late = hours.filter(({ hour }) => isLateStart(hour, flushedHour))
    await putCounts(owner, `${prefixes.late.hour}${hourSort(flushedHour)}`, late, bufferTtl(clock.now()))
  })
}

/** Merges the counters of a day into items that are kept as long as the flows. Idempotent. */
export async function mergeDay(account: string, day: number): Promise<void> {
  const ttl = Math.ceil((day + 2 * dayMicros + retentionMicros('flow')) / 1_000_000)
  const work = countedDimensions.flatMap((dimension) =>
    (['usual', 'late'] as const).map((kind) => ({ dimension, kind })),
  )
  await inParallel(work, concurrency, async ({ dimension, kind }) => {
    const { day: dayPrefix, hour: hourPrefix } = prefixes[kind]
    const between = [`${hourPrefix}${dayOf(day)}`, `${hourPrefix}${dayOf(day)}~`] as const
    const items = await queryItems<CountItem>(countPartition(account, dimension), { between })
    const hours = mergeCounts(items.flatMap(decodeCounts))
    hours.sort((a, b) => a.hour - b.hour)
    await putCounts({ account, dimension }, `${dayPrefix}${dayOf(day)}`, hours, ttl)
  })
}

/**
 * Moves the counters of an actor to the empty value of erased actors (R12.4). The Bloom filters remain, because they contain no ids.
 * Idempotent.
 */
export async function eraseCounts(account: string, actor: string): Promise<void> {
  for (const item of await queryItems<CountItem>(countPartition(account, 'actor'))) {
    const hours = decodeCounts(item)
    if (!hours.some(({ values }) => values.includes(actor))) continue
    const renamed = hours.map((one) => ({ ...one, values: one.values.map((value) => (value === actor ? '' : value)) }))
    await putItem({ ...item, ...encodeContent(mergeCounts(renamed)) })
  }
}

/** Counters of an item. `at` is the day or hour of the item's key. */
export type CountGroup = { at: number; hours: HourCounts[] }

/**
 * Reads the counters of the hours from `begin` to before `end` that readers use before the watermark: merged items of days, then items of
 * hours. Their hours are those of flow starts, or for late flows the flushed hours.
 */
export async function readHourCounts(
  view: ArchiveView,
  dimension: CountedDimension,
  kind: CountKind,
  [begin, end]: readonly [begin: number, end: number],
  onRead?: (bytes: number) => void,
): Promise<CountGroup[]> {
  const { account, watermark, relaxed } = view
  const merged = mergedUntil(watermark)
  const prefix = prefixes[kind]
  const read = async (first: string, last: string) => {
    const between = [first, `${last}~`] as const
    const items = await queryItems<CountItem>(countPartition(account, dimension), { between, relaxed })
    for (const item of items) onRead?.(contentSize(item))
    // Expired items can still exist, because DynamoDB deletes them late.
    return items.filter(({ ttl }) => ttl > clock.now() / 1_000_000)
  }
  const [days, hours] = await Promise.all([
    begin < merged && begin < end
      ? read(`${prefix.day}${dayOf(begin)}`, `${prefix.day}${dayOf(Math.min(end, merged) - hourMicros)}`)
      : [],
    end > merged && begin < end
      ? read(`${prefix.hour}${hourSort(Math.max(begin, merged))}`, `${prefix.hour}${hourSort(end - hourMicros)}`)
      : [],
  ])
  const dayGroups = days.map(({ sk, ...content }) => {
    const at = parseHour(`${sk.slice(prefix.day.length, prefix.day.length + 10)}T00`)
    return { at, hours: decodeCounts(content) }
  })
  const hourGroups = hours.flatMap(({ sk, ...content }) => {
    const [hour = '', flushed = hour] = sk.slice(prefix.hour.length).split('#')
    const flushedHour = parseHour(kind === 'usual' ? flushed : hour)
    return flushedHour < watermark ? [{ at: parseHour(hour), hours: decodeCounts(content) }] : []
  })
  const isWanted = ({ hour }: HourCounts) => kind === 'late' || (hour >= begin && hour < end)
  return [...dayGroups, ...hourGroups].map((group) => ({ ...group, hours: group.hours.filter(isWanted) }))
}
