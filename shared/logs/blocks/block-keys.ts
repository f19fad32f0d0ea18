import { dayMicros, timestamp } from '../../core/clock.ts'
import { partition } from '../../table/keys.ts'
import { lastLogMicros } from '../entries/log-id.ts'

/** Length in microseconds of a slot, which is an interval of storing time (R2.1). */
export const slotMicros = 300_000_000
export const slotOf = (micros: number): number => micros - (micros % slotMicros)

/** Number of intervals of flow starts, ending with the slot itself, whose reports have blocks of their own (R2.2). */
const recentIntervals = 3

/** First start that does not count as older in a slot. */
export const recentStart = (slot: number): number => slot - (recentIntervals - 1) * slotMicros

/**
 * Returns the interval of a flow start within a slot, which decides with which reports it shares a block. A start after the slot belongs to
 * the slot's own interval. Returns -1 for an older start.
 */
export const intervalOf = (start: number, slot: number): number =>
  start < recentStart(slot) ? -1 : Math.min(slotOf(start), slot)

/** Formats microseconds as 13 hexadecimal digits, as in a log id. */
export const startSort = (micros: number): string => micros.toString(16).padStart(13, '0')

/**
 * Upper bound of the newest starts of the blocks of a slot that can contain the given start. Blocks of an interval contain no other starts;
 * older blocks contain any older starts.
 */
export function latestNewest(start: number, slot: number): number {
  if (start < recentStart(slot)) return recentStart(slot) - 1
  return start >= slot ? lastLogMicros : slotOf(start) + slotMicros - 1
}

export const blockPartition = (account: string, slot: number): string =>
  partition(account, 'log.flow.block', startSort(slot))

/** Partition with the state of an account's archive, and a mark for each slot that has blocks. */
export const archivePartition = (account: string): string => partition(account, 'archive')
export const slotPrefix = 'slot#'
export const slotSort = (slot: number): string => `${slotPrefix}${startSort(slot)}`
export const stateSort = 'state'

/** Days after which blocks and versions of the open set expire (R2.5). */
const bufferDays = 14
export const bufferTtl = (storedAt: number): number => Math.ceil((storedAt + bufferDays * dayMicros) / 1_000_000)

/** Formats an hour for sort keys and object names, such as `2026-11-22T09`. */
export const hourSort = (hour: number): string => timestamp(hour).slice(0, 13)
export const parseHour = (text: string): number => Date.parse(`${text}:00:00Z`) * 1_000

export const partSort = (part: number): string => String(part).padStart(6, '0')
